package discordtest

import "unicode/utf8"

// checkComponents holds rows of buttons to their limits.
func checkComponents(rows []any) error {
	if len(rows) > maxRows {
		return invalid("components", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxRows)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		o, _ := row.(map[string]any)
		buttons, _ := o["components"].([]any)
		if o["type"] != 1.0 || len(buttons) == 0 || len(buttons) > maxButtons {
			return invalid("components", "BASE_TYPE_BAD_LENGTH", "a row has 1 to %d buttons", maxButtons)
		}
		for _, b := range buttons {
			b, _ := b.(map[string]any)
			id, _ := b["custom_id"].(string)
			label, _ := b["label"].(string)
			if link, _ := b["url"].(string); link != "" {
				id = link
			}
			if id == "" || len(id) > maxCustomID && b["url"] == nil || seen[id] || utf8.RuneCountInString(label) > maxLabel {
				return invalid("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "custom id %q, label %q", id, label)
			}
			seen[id] = true
		}
	}
	return nil
}

// checkModal holds a form to its limits.
func checkModal(data map[string]any) error {
	title, _ := data["title"].(string)
	id, _ := data["custom_id"].(string)
	rows, _ := data["components"].([]any)
	if title == "" || utf8.RuneCountInString(title) > maxTitle || id == "" || len(id) > maxCustomID || len(rows) == 0 || len(rows) > maxRows {
		return invalid("data", "BASE_TYPE_BAD_LENGTH", "a form has a title of 1 to %d characters and 1 to %d rows", maxTitle, maxRows)
	}
	for _, row := range rows {
		o, _ := row.(map[string]any)
		if label, _ := o["label"].(string); o["type"] != 18.0 || label == "" || utf8.RuneCountInString(label) > maxInputLabel {
			return invalid("data.components", "BASE_TYPE_BAD_LENGTH", "a field has a label of 1 to %d characters", maxInputLabel)
		}
	}
	return nil
}
