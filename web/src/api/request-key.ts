// Keys of requests that spend money: the same key and body take effect once.
import { useRef } from "react";

/** A key that nobody else has. randomUUID is missing where the address is not secure. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Gives a body its key: the same as long as the body and the view that sends it are. */
export function useRequestKey(): (body: unknown) => string {
  const key = useRef({ of: "", is: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (key.current.of !== text) key.current = { of: text, is: newKey() };
    return key.current.is;
  };
}
