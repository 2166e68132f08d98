// What is asked about a project in more than one place.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import * as portal from "../../api/portal";
import { listedRows } from "../portal/rows";
import { projectKey } from "./live";

/** The deliverables of a project, as the overview lists them. */
export const listingQuery = (root: string) => queryOptions({
  queryKey: projectKey(root, "deliverables", "short"), queryFn: ({ signal }) => portal.deliverables(root, signal), retry: false, staleTime: 5_000,
});

/** Asks for the deliverables before the overview is opened, and makes its rows. What fails the overview says. */
export async function prepareOverview(client: QueryClient, root: string): Promise<void> {
  await client.prefetchQuery(listingQuery(root));
  const listing = client.getQueryData(listingQuery(root).queryKey);
  if (listing) listedRows(listing);
}
