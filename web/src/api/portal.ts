// The calls about a project as a whole: its deliverables, where it stands, what happened in it.
import { get, post, withQuery } from "./http";
import type { components } from "./schema";

type Answers = components["schemas"];

export type Listing = Answers["scan.Listing"];
export type Progress = Answers["progress.Report"];
export type Activity = Answers["overview.Activity"];
export type Happening = Answers["overview.Happening"];
export type ScaffoldBody = Answers["scaffoldBody"];
export type Outline = Answers["scaffold.Outline"];
export type Scaffolded = Answers["scaffold.Result"];

/** The list of deliverables, without their knowledge types, which are most of it. */
export const deliverables = (projectRoot: string, signal?: AbortSignal) => get<Listing>(withQuery("/api/project/deliverables", { projectRoot, short: "true" }), signal);

/** Since when deliverables are in their state, what they wait for, how many findings they have. It reads every file of the project. */
export const progress = (projectRoot: string, signal?: AbortSignal) => get<Progress>(withQuery("/api/project/progress", { projectRoot }), signal);

/** What agents propose for registers and nobody has decided on. */
export const proposals = (projectRoot: string, signal?: AbortSignal) =>
  get<Answers["proposalsAnswer"]>(withQuery("/api/project/proposals", { projectRoot }), signal).then((a) => a.proposals ?? []);

/** What happened in a project after a time, the latest first. */
export const activity = (projectRoot: string, since: string, cursor: string, signal?: AbortSignal) =>
  get<Activity>(withQuery("/api/project/activity", { projectRoot, since, cursor, limit: 50 }), signal);

/** Makes an execution root of a decomposition. What is there stays. */
export const scaffold = (body: ScaffoldBody) => post<Scaffolded>("/api/harness/scaffold", body);

/** What a scaffold would make. It makes nothing. */
export const outline = (body: ScaffoldBody) => post<Outline>("/api/harness/scaffold/preview", body);

/** Copies the example project to a folder of the server's choice, and returns which. */
export const example = () => post<Answers["exampleAnswer"]>("/api/project/example", {}).then((a) => a.projectRoot);

/** Makes a folder one of the known projects. */
export const addProject = (path: string) => post<Answers["addedProjectAnswer"]>("/api/projects", { path }).then((a) => a.project);
