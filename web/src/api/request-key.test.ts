import { expect, test } from "vitest";
import { Failure } from "./http";
import { RequestKey } from "./request-key";

test("a body keeps its key until it differs", () => {
  const keys = new RequestKey();
  const first = keys.of({ a: 1 });
  expect(keys.of({ a: 1 })).toBe(first);
  expect(keys.of({ a: 2 })).not.toBe(first);
});

test("only a refusal renews the key", () => {
  const keys = new RequestKey();
  const first = keys.of({ a: 1 });
  for (const lost of [new Error("x"), new Failure(0, "UNREACHABLE", ""), new Failure(502, "UNKNOWN", ""), new Failure(404, "UNKNOWN", ""), new Failure(500, "STORAGE_FAILURE", "")]) {
    keys.renew(lost);
    expect(keys.of({ a: 1 })).toBe(first);
  }
  keys.renew(new Failure(409, "IDEMPOTENCY_CONFLICT", ""));
  expect(keys.of({ a: 1 })).not.toBe(first);
});
