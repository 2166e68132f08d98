// An answer's text as Markdown. The renderer is loaded with the first answer; until
// it is there the text is shown as it is.
import { lazy, memo, Suspense } from "react";
import { Boundary } from "./boundary";
import { blocksOf } from "./blocks";

const Block = lazy(() => import("./markdown-block"));

/**
 * Shows Markdown. While the text still grows it is cut into blocks, and only the last
 * one is read anew.
 */
export const Markdown = memo(function Markdown({ text, growing }: { text: string; growing: boolean }) {
  const blocks = growing ? blocksOf(text) : [text];
  return (
    <div className="md">
      <Boundary fallback={() => <p className="raw">{text}</p>}>
        <Suspense fallback={<p className="raw">{text}</p>}>
          {blocks.map((block, i) => <Block key={i} text={block} />)}
        </Suspense>
      </Boundary>
    </div>
  );
});
