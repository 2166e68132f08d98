// Renders Markdown. Nothing of it can run, and nothing is fetched: raw HTML stays
// text, and an image is a link to it.
import { Children, isValidElement, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { Code } from "./code";

// Headings of an answer stand below those of the page.
const components: Components = {
  h1: ({ children }) => <h3 className="h1">{children}</h3>,
  h2: ({ children }) => <h4 className="h2">{children}</h4>,
  h3: ({ children }) => <h5 className="h3">{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  a: ({ href, children }) => (href ? <a href={href} target="_blank" rel="noopener noreferrer">{children}</a> : <>{children}</>),
  img: ({ src, alt }) => (
    typeof src === "string" && src
      ? <a href={src} target="_blank" rel="noopener noreferrer" className="image-link">Image: {alt || src}</a>
      : <span>{alt}</span>
  ),
  pre: ({ children }) => {
    const child = Children.toArray(children)[0];
    if (!isValidElement<{ className?: string; children?: ReactNode }>(child)) return <pre>{children}</pre>;
    const language = /language-(\S+)/.exec(child.props.className ?? "")?.[1] ?? "";
    return <Code code={String(child.props.children ?? "").replace(/\n$/, "")} language={language} />;
  },
  table: ({ children }) => <div className="table" tabIndex={0} role="region" aria-label="Table"><table>{children}</table></div>,
  input: ({ checked }) => <input type="checkbox" checked={Boolean(checked)} disabled readOnly aria-label={checked ? "done" : "open"} />,
};

export default memo(function MarkdownBlock({ text }: { text: string }) {
  return <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>{text}</ReactMarkdown>;
});
