// What the page says about each error of the contract: a title, and the next step
// where the page knows a better one than the server's hint.
import { Failure } from "./http";

export interface Told { title: string; message: string; next: string; items: string[] }

/** Title and next step by error type. A test holds it against docs/errors.md. */
export const errorTexts: Record<string, readonly [title: string, next: string]> = {
  INVALID_REQUEST: ["The request is not valid", "Correct what the message names and try again."],
  TURN_IN_PROGRESS: ["A turn is running", "Wait for it, interrupt it, or send your message into it."],
  MISSING_API_KEY: ["The provider's key is missing", "Set the key in the environment of the server and restart it."],
  SESSION_NOT_FOUND: ["No such session", "Choose a session from the list. It may have been deleted."],
  PERSONA_NOT_FOUND: ["No such persona", "Choose another persona below the message."],
  INSTRUCTION_ROOT_INVALID: ["The instructions are damaged", "Restore the files that the message names, then try again."],
  SDK_FAILURE: ["The provider failed", "Send the message again. If it fails again, look at the checks in Settings."],
  WORKING_ROOT_INACCESSIBLE: ["The project folder cannot be used", "Check the path and its permissions."],
  WORKING_ROOT_CONFLICT: ["The project folder lies in the instructions", "Choose a folder outside the instruction root."],
  ATTACHMENT_FAILURE: ["No file was accepted", "Remove or replace the files below, or write a message as well."],
  INVALID_PROJECT_ROOT: ["The project folder is not valid", "Give the folder's absolute path."],
  DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT: ["The deliverable lies outside the project", "Choose a deliverable of this project."],
  DELIVERABLE_NOT_FOUND: ["No such deliverable", "Choose a deliverable from the project's list."],
  AMBIGUOUS_NAME: ["Several have this name", "Name the one that you mean."],
  STATUS_FILE_NOT_FOUND: ["The deliverable has no status file", "Let PREPARATION make _STATUS.md, or restore it."],
  WORKSPACE_FILE_READ_FAILED: ["A project file cannot be read", "Check the file's permissions and its disk."],
  WORKSPACE_FAILURE: ["A project file cannot be used", "Fix what the message names and try again."],
  INVALID_STATUS_FORMAT: ["The status file is damaged", "Correct _STATUS.md by hand as the details say."],
  INVALID_STATE: ["No such state", "Use one of the lifecycle's states."],
  INVALID_DATE: ["The date is not valid", "Use a date as YYYY-MM-DD, not in the future."],
  BACKWARD_TRANSITION: ["A deliverable only goes forward", "To correct its state, edit _STATUS.md by hand."],
  TRANSITION_NOT_ALLOWED: ["This step is not allowed", "Go to the next state. None can be skipped."],
  UNAUTHORIZED_ACTOR: ["Somebody else has to do this", "Let an actor do it that may."],
  APPROVAL_SHA_REQUIRED: ["An approved commit is needed", "Name the commit that a person approved."],
  INVALID_APPROVAL_SHA: ["No such commit", "Commit what is approved and name that commit."],
  DEPENDENCY_REGISTER_NOT_FOUND: ["The deliverable has no register", "Apply a proposal, or write the register's rows."],
  INVALID_SCHEMA: ["The register is damaged", "Correct the lines that “belay deps lint” names."],
  INVALID_ENUM: ["A cell has a word that is not allowed", "Use one of the words that the message names."],
  INVALID_CLASSIFICATION: ["The row's class and type do not fit", "Correct the row as the message says."],
  INVALID_PROVENANCE: ["The row has no evidence", "Name the document and the section, or write “location TBD”."],
  INVALID_IDENTITY: ["The row's id is not valid", "Use ids such as DEP-01-02-003 and DEL-01-02."],
  INVALID_TARGET: ["The row's target is not valid", "Name the target as its type demands."],
  DUPLICATE_DEPENDENCY_ID: ["Two rows have the same id", "Give one of them its own number."],
  INVALID_SATISFACTION_TRANSITION: ["This step of the dependency is not allowed", "Go step by step, as the message says."],
  ROW_DELETION_REFUSED: ["Rows are never deleted", "Set their Status to RETIRED instead."],
  INVALID_CELL: ["A cell's content is not allowed", "Begin it with a word, without control characters."],
  UNAUTHORIZED: ["This browser is not signed in", "Run “belay open” on the server's machine and open its link here."],
  FORBIDDEN: ["Not allowed", "Use the address that the server printed."],
  NOT_FOUND: ["Not found", "It may have been removed. Go back and choose again."],
  METHOD_NOT_ALLOWED: ["The server does not take this", "Reload the page: the server may be of another version."],
  REQUEST_TOO_LARGE: ["Too large", "Make it smaller, or attach it as a file."],
  TURN_TIMEOUT: ["The turn took too long", "Send a message to continue, or ask for a smaller step."],
  BUDGET_EXCEEDED: ["The budget is spent", "Raise the budget that the message names."],
  IDEMPOTENCY_CONFLICT: ["The message changed while it was sent", "Send it again."],
  SESSION_READ_ONLY: ["This session is a copy", "Adopt it with “belay session import”, or use the original."],
  OVERLOADED: ["The server is busy", "Try again in a moment."],
  NO_TURN_IN_PROGRESS: ["The turn has ended", "Send the message as a turn of its own."],
  DECISION_CLOSED: ["Already answered", "Somebody was faster, or its time ran out. Nothing more is needed."],
  CONTENT_CHANGED: ["A file has changed since", "Look at the files below as they are now, and decide anew."],
  PRECONDITION_REQUIRED: ["The file must be read first", "Load it again, then save."],
  STORAGE_FAILURE: ["A record could not be written", "Free disk space on the server's machine and try again."],
  INVALID_WORKFLOW: ["The workflow is not valid", "Correct the places that the details name."],
  RUN_NOT_FOUND: ["No such run", "Choose a run from the project's list."],
  RUN_IN_PROGRESS: ["The run is being worked on", "Follow it, or cancel it."],
  RUN_NOT_RUNNING: ["The run is not running", "Look at how it ended."],
  RUN_CANCELLED: ["The run was cancelled", "Resume it with “belay run --resume”."],
  TASK_FAILED: ["A task failed", "Fix what the message names."],
  TASK_TIMEOUT: ["A task took too long", "Raise its timeout or its budget."],
  ANSWER_INVALID: ["The model's answer has the wrong form", "Make the prompt or the schema plainer."],
  UNREACHABLE: ["The server does not answer", "Is “belay serve” still running? The page tries again by itself."],
  UNKNOWN: ["Unexpected answer", "Reload the page. If it happens again, look at the server's log."],
};

/** Failures of a turn that are not the provider's, by their category. */
const ownFailures: Record<string, readonly [title: string, next: string]> = {
  PROCESS_ENDED: ["The turn was cut off", "Send the message again."],
  PANIC: ["The turn failed", "Send the message again. If it fails again, look at the server's log."],
};

/** The next step after an action that did not get through: only what the page asks for is asked for again. */
const actionNext = "Is “belay serve” still running? Do it again once the server answers.";

const operatorNext = "Answers and undo need the operator's link: run “belay open” on the server's machine and open its link in this browser.";

/** Says what went wrong, for a person. */
export function tell(err: unknown): Told {
  if (!(err instanceof Failure)) {
    return { title: "The page failed", message: err instanceof Error ? err.message : String(err), next: "Reload the page.", items: [] };
  }
  return tellOf(err.type, err.message, err.details, err.hint);
}

export function tellOf(type: string, message: string, details: Record<string, unknown> = {}, hint = ""): Told {
  const own = type === "SDK_FAILURE" ? ownFailures[String(details.category)] : undefined;
  const [title, next] = own ?? errorTexts[type] ?? [type, ""];
  const needsOperator = type === "FORBIDDEN" && details.reason === "operator";
  const isAction = type === "UNREACHABLE" && details.action === true;
  return { title, message, next: needsOperator ? operatorNext : isAction ? actionNext : next || hint, items: itemsOf(details, message) };
}

/** The files and problems in an error's details, one line each, without what the message says already. */
function itemsOf(details: Record<string, unknown>, said: string): string[] {
  const lines: string[] = [];
  for (const a of list(details.attachmentErrors)) {
    const { path, code, reason } = a as { path?: string; code?: string; reason?: string };
    lines.push([path, code, reason].filter(Boolean).join(": "));
  }
  for (const path of list(details.paths)) lines.push(String(path));
  for (const problem of list(details.problems)) {
    const { field, message } = problem as { field?: string; message?: string };
    if (`${field} ${message}` !== said) lines.push([field, message].filter(Boolean).join(": "));
  }
  return lines.slice(0, 20);
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
