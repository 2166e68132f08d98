package attachment

// wideText knows UTF-16 without a byte order mark.
func wideText(head []byte, whole bool) found { return found{} }

// narrow is text as UTF-8.
func narrow(head []byte, charset string) []byte { return head }

func textType(head []byte, whole bool, ext, hint string) string { return mimeText }

func extensionType(ext string) string { return "" }

func agrees(said, mime string) bool { return true }
