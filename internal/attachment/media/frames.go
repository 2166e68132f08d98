package media

// frames knows MP3 and AAC without a tag. The mark of a frame is short, so it
// counts only where a second frame follows right behind the first.
func frames(head []byte) string {
	for _, k := range []struct {
		mime string
		size func([]byte) int
	}{{AAC, adtsFrame}, {MP3, mpegFrame}} {
		n := k.size(head)
		if n > 0 && n < len(head) && k.size(head[n:]) > 0 && sameStream(head, head[n:]) {
			return k.mime
		}
	}
	return ""
}

// sameStream compares what all frames of a stream share: version and layer.
func sameStream(a, b []byte) bool { return a[1] == b[1] }

// Kilobits per second by index, for MPEG 1 layers I, II and III, and MPEG 2 layer
// I, and layers II and III.
var bitRates = [5][15]int{
	{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

// sampleRates are those of MPEG 1; MPEG 2 has half of them, 2.5 a quarter.
var sampleRates = [3]int{44100, 48000, 32000}

// mpegFrame is the length of the MPEG audio frame that b begins with, 0 where it
// begins with none.
func mpegFrame(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return 0
	}
	version, layer := b[1]>>3&3, 4-int(b[1]>>1&3) // version: 0 is 2.5, 2 is 2, 3 is 1
	rate, sampling := int(b[2]>>4), int(b[2]>>2&3)
	if version == 1 || layer == 4 || rate == 0 || rate == 15 || sampling == 3 || b[3]&3 == 2 {
		return 0
	}
	table, hertz := layer-1, sampleRates[sampling]
	if version != 3 {
		table = min(layer, 2) + 2
		hertz /= 2
	}
	if version == 0 {
		hertz /= 2
	}
	bits, padding := bitRates[table][rate]*1000, int(b[2]>>1&1)
	switch {
	case layer == 1:
		return (12*bits/hertz + padding) * 4
	case layer == 3 && version != 3:
		return 72*bits/hertz + padding
	}
	return 144*bits/hertz + padding
}

// adtsFrame is the length of the AAC frame that b begins with, 0 where it begins
// with none.
func adtsFrame(b []byte) int {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 || b[2]>>2&0xf > 12 {
		return 0
	}
	n := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
	if n < 7 {
		return 0
	}
	return n
}
