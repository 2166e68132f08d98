// Keys of requests that spend money: the same key and body take effect once.
import { useState } from "react";
import { isRefusal } from "./http";

/** A key that nobody else has. randomUUID is missing where the address is not secure. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Keys of the bodies that one view sends. */
export class RequestKey {
  #text = "";
  #key = "";

  /** The key of a body: the same as long as the body is. */
  of = (body: unknown): string => {
    const text = JSON.stringify(body);
    if (this.#text !== text) [this.#text, this.#key] = [text, newKey()];
    return this.#key;
  };

  /**
   * Makes the next attempt another request, where the server has refused this one. Where the
   * answer was lost, what was asked for may have begun.
   */
  renew = (error: Error): void => { if (isRefusal(error)) this.#text = ""; };
}

/** The keys of a view, for as long as it is shown. */
export const useRequestKey = (): RequestKey => useState(() => new RequestKey())[0];
