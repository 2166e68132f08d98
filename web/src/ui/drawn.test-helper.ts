// Draws components without a browser, for tests. Effects do not run.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, isValidElement, type ReactElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";

type Props = any;

/** What a component draws: its HTML, and the elements that it makes itself, whose handlers a test can call. */
export function drawn<P extends object>(component: (props: P) => ReactNode, props: P, client = new QueryClient()): { html: string; elements: ReactElement<Props>[] } {
  const elements: ReactElement<Props>[] = [];
  const collect = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(collect);
    if (!isValidElement<Props>(node)) return;
    elements.push(node);
    collect(node.props.children);
  };
  const Probe = () => {
    const made = component(props);
    collect(made);
    return made;
  };
  return { html: renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(Probe))), elements };
}
