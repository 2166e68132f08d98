// Line icons of one size. They say nothing to a screen reader: the control does.
import type { ReactNode } from "react";

function icon(paths: ReactNode, size = 16) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5"
      strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false">{paths}</svg>
  );
}

export const Icon = {
  plus: () => icon(<path d="M8 3v10M3 8h10" />),
  search: () => icon(<><circle cx="7" cy="7" r="4.2" /><path d="m10.2 10.2 3.3 3.3" /></>),
  inbox: () => icon(<path d="M2.5 9.5 4 3.5h8l1.5 6v3h-11zM2.5 9.5h3l1 1.5h3l1-1.5h3" />),
  chat: () => icon(<path d="M3 3.5h10v7H7.5L4.5 13v-2.5H3z" />),
  gear: () => icon(<><circle cx="8" cy="8" r="2" /><path d="M8 2v1.8M8 12.2V14M2 8h1.8M12.2 8H14M3.8 3.8 5 5M11 11l1.2 1.2M12.2 3.8 11 5M5 11l-1.2 1.2" /></>),
  sun: () => icon(<><circle cx="8" cy="8" r="2.8" /><path d="M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" /></>),
  moon: () => icon(<path d="M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z" />),
  screen: () => icon(<path d="M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13" />),
  help: () => icon(<><circle cx="8" cy="8" r="5.8" /><path d="M6.4 6.4a1.6 1.6 0 1 1 2.3 1.5c-.5.3-.7.6-.7 1.2M8 11.3v.1" /></>),
  close: () => icon(<path d="m4 4 8 8M12 4l-8 8" />),
  clip: () => icon(<path d="m12.5 7.5-4.8 4.8a2.8 2.8 0 0 1-4-4L8.800 3.200a1.900 1.900 0 0 1 2.700 2.700l-5 5a.9.9 0 0 1-1.300-1.300L9.500 5.300" />),
  send: () => icon(<path d="M8 13V3M4 7l4-4 4 4" />),
  stop: () => icon(<rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" />),
  down: () => icon(<path d="M8 3v10M4 9l4 4 4-4" />),
  back: () => icon(<path d="M10 3 5 8l5 5" />),
  copy: () => icon(<><rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1.200" /><path d="M10.500 5.500V3H3v7.500h2.500" /></>),
  check: () => icon(<path d="m3.500 8.500 3 3 6-7" />),
  cross: () => icon(<path d="m4.500 4.500 7 7M11.500 4.500l-7 7" />),
  chevron: () => icon(<path d="m6 4 4 4-4 4" />),
  undo: () => icon(<path d="M5.500 3 2.800 5.700l2.700 2.700M3 5.700h6a4 4 0 0 1 0 8H6" />),
  fork: () => icon(<><circle cx="4.500" cy="3.500" r="1.500" /><circle cx="4.500" cy="12.500" r="1.500" /><circle cx="11.500" cy="5.500" r="1.500" /><path d="M4.500 5v6M11.500 7c0 2.500-3 2.500-7 3" /></>),
  file: () => icon(<path d="M4 2.500h5l3 3v8H4zM9 2.500v3h3" />),
  terminal: () => icon(<path d="m3 4.500 3.500 3.500L3 11.500M8 11.500h5" />),
  globe: () => icon(<><circle cx="8" cy="8" r="5.700" /><path d="M2.500 8h11M8 2.300c2 1.700 2 9.700 0 11.400-2-1.700-2-9.700 0-11.400z" /></>),
  pencil: () => icon(<path d="m3 13 .600-2.600 7-7 2 2-7 7zM9.500 4.500l2 2" />),
  folder: () => icon(<path d="M2.500 4h4l1.200 1.500h5.800v7h-11z" />),
  person: () => icon(<><circle cx="8" cy="5.500" r="2.500" /><path d="M3.500 13.500c.5-2.800 2.200-4 4.500-4s4 1.200 4.500 4" /></>),
  warning: () => icon(<path d="M8 2.500 14 13H2zM8 6.500v3M8 11.300v.1" />),
  trash: () => icon(<path d="M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500" />),
  more: () => icon(<path d="M3.500 8h.1M8 8h.1M12.500 8h.1" strokeWidth="2.200" />),
  sliders: () => icon(<><path d="M2.500 5h6M12.500 5h1M2.500 11h1M7.500 11h6" /><circle cx="10.500" cy="5" r="1.700" /><circle cx="5.500" cy="11" r="1.700" /></>),
  archive: () => icon(<path d="M2.500 3.500h11v3h-11zM3.500 6.500v6h9v-6M6.500 9h3" />),
  up: () => icon(<path d="M8 13V3M4 7l4-4 4 4" />),
} as const;
