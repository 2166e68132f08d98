// What is asked about a deliverable in more than one place.
import { queryOptions } from "@tanstack/react-query";
import * as api from "../../api/deliverable";

/** The register of a deliverable. */
export const registerQuery = (root: string, path: string) => queryOptions({
  queryKey: ["register", root, path], queryFn: ({ signal }) => api.register(root, path, signal), retry: false, staleTime: 5_000,
});
