import { expect, it } from "vitest";
import type { Choices } from "../../api/pipeline";
import { workOf } from "./old-address";

const type = (id: string, persona = id) => ({ id, label: id, enabled: true, persona, targets: "none" });
const choices: Choices = {
  projectRoot: "/p", scopeModes: [], maxTargets: 1, maxAtOnce: 1, defaultAtOnce: 1,
  categories: [
    { id: "DECOMP", label: "", selector: "", types: [type("PROJECT", "PROJECT_DECOMP")] }, { id: "PREP", label: "", selector: "", types: [type("PREPARATION")] },
    { id: "TASK", label: "", selector: "", types: [type("TASK"), type("SCOPE_CHANGE")] }, { id: "AUDIT", label: "", selector: "", types: [type("AGENTS", "AUDIT_AGENTS")] },
  ],
};

it("finds category and type of an operative agent (14.2)", () => {
  expect(workOf("DECOMP*", choices)).toEqual({ category: "DECOMP" });
  expect(workOf("TASK*", choices)).toEqual({ category: "TASK" });
  expect(workOf("task", choices)).toEqual({ category: "TASK", type: "TASK" });
  expect(workOf("PROJECT_DECOMP", choices)).toEqual({ category: "DECOMP", type: "PROJECT" });
  expect(workOf("AUDIT_AGENTS", choices)).toEqual({ category: "AUDIT", type: "AGENTS" });
  expect(workOf("SCOPE_CHANGE", choices)).toEqual({ category: "TASK", type: "SCOPE_CHANGE" });
  expect(workOf("AUDIT_NEW", choices)).toEqual({ category: "AUDIT" });
  expect(workOf("WRITER", choices)).toBeUndefined();
});
