// The columns of a register: what the table shows of them first, and the words that they take.
const enums: Record<string, readonly string[]> = {
  DependencyClass: ["ANCHOR", "EXECUTION"],
  AnchorType: ["IMPLEMENTS_NODE", "TRACES_TO_REQUIREMENT", "NOT_APPLICABLE"],
  Direction: ["UPSTREAM", "DOWNSTREAM"],
  DependencyType: ["PREREQUISITE", "INTERFACE", "HANDOVER", "CONSTRAINT", "ENABLES", "OTHER"],
  TargetType: ["DELIVERABLE", "PACKAGE", "WBS_NODE", "REQUIREMENT", "DOCUMENT", "EQUIPMENT", "EXTERNAL", "UNKNOWN"],
  Explicitness: ["EXPLICIT", "IMPLICIT"],
  SatisfactionStatus: ["TBD", "PENDING", "IN_PROGRESS", "SATISFIED", "WAIVED", "NOT_APPLICABLE"],
  Confidence: ["HIGH", "MEDIUM", "LOW"],
  Origin: ["DECLARED", "EXTRACTED"],
  Status: ["ACTIVE", "RETIRED"],
  EstimateImpactClass: ["BLOCKING", "ADVISORY", "INFO", "TBD"],
  ConsumerHint: ["TASK", "TASK_ESTIMATING", "AGGREGATION", "RECONCILIATION", "TBD"],
};

/** The columns that every register has, in their order. */
export const coreColumns: readonly string[] = [
  "RegisterSchemaVersion", "DependencyID", "FromPackageID", "FromDeliverableID", "FromDeliverableName", "DependencyClass", "AnchorType", "Direction", "DependencyType", "TargetType",
  "TargetPackageID", "TargetDeliverableID", "TargetRefID", "TargetName", "TargetLocation", "Statement", "EvidenceFile", "SourceRef", "EvidenceQuote", "Explicitness", "RequiredMaturity",
  "ProposedMaturity", "SatisfactionStatus", "Confidence", "Origin", "FirstSeen", "LastSeen", "Status", "Notes",
];

/** The words that a column takes, with the one that a cell has; undefined where any text may be. */
export function wordsOf(column: string, value: string): readonly string[] | undefined {
  const words = enums[column];
  return words && !words.includes(value) ? [value, ...words] : words;
}

/** The columns that people read first, in their order. */
const main = [
  "DependencyID", "Statement", "Direction", "DependencyType", "TargetDeliverableID", "TargetRefID", "TargetName", "SatisfactionStatus", "Status",
  "DependencyClass", "EvidenceFile", "SourceRef", "EvidenceQuote", "Confidence", "Origin", "Notes",
];

export function shownColumns(headers: readonly string[], all: boolean): string[] {
  const unique = headers.filter((h, i) => headers.indexOf(h) === i);
  const first = main.filter((h) => unique.includes(h));
  return all || first.length === 0 ? [...first, ...unique.filter((h) => !main.includes(h))] : first;
}

/** The width of a column, in rem. */
export function widthOf(column: string): number {
  if (["Statement", "EvidenceQuote", "Notes"].includes(column)) return 20;
  if (["TargetName", "SourceRef", "FromDeliverableName", "TargetLocation"].includes(column)) return 14;
  return column === "DependencyID" ? 9 : Math.min(12, Math.max(7.5, column.length * 0.62));
}

export const widthOfAll = (columns: readonly string[]): number => columns.reduce((n, c) => n + widthOf(c), 0);

/** The first column that reaches into a part of the width, and the one after the last. The part is in rem, from the first column. */
export function columnsIn(columns: readonly string[], left: number, right: number): [first: number, end: number] {
  let first = 0, end = 0, at = 0;
  for (const c of columns) {
    if (at >= right && end > 0) break;
    at += widthOf(c);
    end++;
    if (at <= left && end < columns.length) first = end;
  }
  return [first, end];
}

/** "TargetName" as words, the shortest that are clear in a register. */
export const titleOf = (column: string) => short[column] ?? column.replace(/([a-z])([A-Z])/g, "$1 $2");

const short: Record<string, string> = {
  DependencyID: "ID", DependencyClass: "Class", DependencyType: "Type", SatisfactionStatus: "Satisfaction", TargetDeliverableID: "Target", TargetRefID: "Target Ref",
};

/** The place of a column among those that people read. */
export const rankOf = (column: string) => { const i = main.indexOf(column); return i < 0 ? main.length : i; };
