// How the page asks the server, and how often.
import { QueryClient } from "@tanstack/react-query";
import { isLasting } from "./api/http";

/** The client of the whole page. */
export const newQueryClient = (): QueryClient => new QueryClient({
  defaultOptions: {
    queries: {
      retry: (n, err) => n < 2 && !isLasting(err), staleTime: 1000,
      // The server is mostly on this computer, and is there without a network. The browser's word
      // must not hold requests back: an action would be sent when nobody expects it any more.
      networkMode: "always", refetchOnReconnect: true,
    },
    mutations: { networkMode: "always" },
  },
});
