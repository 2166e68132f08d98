// Keys of requests that spend money: the same key and body take effect once.
import { useRef } from "react";
import { isFailure } from "./http";

/** A key that nobody else has. randomUUID is missing where the address is not secure. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/**
 * Gives a body its key: the same as long as the body and the view that sends it are. Once the
 * server has refused it, renew makes the next attempt another request.
 */
export function useRequestKey(): { of: (body: unknown) => string; renew: (error: Error) => void } {
  const key = useRef({ of: "", is: "" });
  return {
    of: (body) => {
      const text = JSON.stringify(body);
      if (key.current.of !== text) key.current = { of: text, is: newKey() };
      return key.current.is;
    },
    renew: (error) => {
      // Only a refusal: where the answer was lost, what was asked for may have begun.
      if (isFailure(error) && error.status >= 400 && error.status < 500 && error.type !== "UNKNOWN") key.current = { of: "", is: "" };
    },
  };
}
