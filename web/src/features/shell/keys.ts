// Keys that work everywhere, and the list of them.

/** Reports whether a key goes into a field, or a letter to what jumps to a name or begins an edit. */
export function typing(e: KeyboardEvent): boolean {
  const t = e.target;
  if (!(t instanceof HTMLElement)) return false;
  if (/^[\p{L}\p{N}]$/u.test(e.key) && !e.ctrlKey && !e.metaKey && !e.altKey && t.closest("[role=tree], [role=grid], [role=menu]")) return true;
  return t.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName) && !(t instanceof HTMLInputElement && t.type === "checkbox");
}

export const keyHelp: readonly [group: string, keys: readonly (readonly [key: string, what: string])[]][] = [
  ["Everywhere", [["g s", "Sessions"], ["g i", "Inbox"], ["g r", "What runs now"], ["c", "New session"], ["/", "Search sessions"], ["Ctrl K", "Go to anything"], ["?", "This help"], ["Esc", "Leave a field or a dialog"]]],
  ["Inbox", [["j k", "Next and previous question"], ["a", "Allow, or apply"], ["s", "Allow for this session"], ["d", "Deny, or discard"], ["n", "Note for the agent"], ["o", "Open the session"]]],
  ["Message", [["Enter", "Send, or speak into the turn"], ["Shift Enter", "New line"], ["Alt Enter", "Send after the answer"], ["Ctrl .", "Interrupt the turn"], ["m", "Go to the message"]]],
];
