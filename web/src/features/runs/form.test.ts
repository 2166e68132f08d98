import { expect, it } from "vitest";
import { fieldsOf, inputOf } from "./form";

const schema = {
  type: "object", required: ["name", "n"],
  properties: {
    name: { type: "string", title: "Name", description: "Of the report." }, n: { type: "integer", default: 3 }, share: { type: "number" },
    deep: { type: "boolean", default: true }, kind: { enum: ["short", "long"], default: "long" }, files: { type: "array", items: { type: "string" } },
    rest: { type: "object" }, odd: true,
  },
};

it("makes a field of each property", () => {
  expect(fieldsOf(schema).map((f) => `${f.name}:${f.kind}:${f.required}:${f.initial}`)).toEqual([
    "name:text:true:", "n:number:true:3", "share:number:false:", "deep:flag:false:true", "kind:choice:false:long", "files:lines:false:", "rest:json:false:", "odd:json:false:",
  ]);
  expect(fieldsOf(undefined)).toEqual([]);
  expect(fieldsOf({ type: "string" })).toEqual([]);
});

it("reads what was written", () => {
  const got = inputOf(fieldsOf(schema), { name: "a", share: "0.5", deep: "false", files: " a.md\n\n b.md ", rest: '{"x":[1]}' });
  expect(got).toEqual({ input: { name: "a", n: 3, share: 0.5, deep: false, kind: "long", files: ["a.md", "b.md"], rest: { x: [1] } }, problems: {} });
});

it("rounds no whole number", () => {
  const wrong = "Has a whole number that this page would round. Start the run with belay run.";
  expect(inputOf(fieldsOf(schema), { name: "a", n: "9007199254740993", share: "9007199254740993", rest: '{"a": [1, -90071992547409931]}' }).problems).toEqual({ n: wrong, share: wrong, rest: wrong });
  expect(inputOf(fieldsOf(schema), { name: "a", n: "9007199254740991", share: "90071992547409.93", rest: '{"id \\" 9007199254740993": "9007199254740993", "x": 0.12345678901234567, "e": 1e20}' }).problems).toEqual({});
});

it("names what is wrong", () => {
  expect(inputOf(fieldsOf(schema), { n: "1.5", share: "much", rest: "{" }).problems).toEqual({
    name: "Is required.", n: "Must be a whole number.", share: "Must be a number.", rest: "Is not valid JSON.",
  });
});
