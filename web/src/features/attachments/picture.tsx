// A picture on a canvas: the page's policy allows no addresses of blobs.
import { useEffect, useRef, useState } from "react";
import { request } from "../../api/http";

/** The most pixels of one side that are drawn. */
const mostPixels = 2048;

/** Draws a picture, whose bytes are given or fetched, not larger than it is. */
export function Picture({ blob, href, alt, small = false }: { blob?: Blob; href?: string; alt: string; small?: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const gone = new AbortController();
    void (async () => {
      try {
        const data = blob ?? await (await request(href!, { signal: gone.signal })).blob();
        const picture = await createImageBitmap(data);
        const to = canvas.current;
        if (!to || gone.signal.aborted) return;
        const scale = Math.min(1, (small ? 480 : mostPixels) / Math.max(picture.width, picture.height));
        to.width = Math.max(1, Math.round(picture.width * scale));
        to.height = Math.max(1, Math.round(picture.height * scale));
        to.getContext("2d")?.drawImage(picture, 0, 0, to.width, to.height);
        to.dataset.drawn = `${picture.width}x${picture.height}`;
        picture.close();
      } catch {
        if (!gone.signal.aborted) setFailed(true);
      }
    })();
    return () => gone.abort();
  }, [blob, href, small]);
  if (failed) return <p className="soft small">This picture cannot be shown.</p>;
  return <canvas ref={canvas} width={1} height={1} className={small ? "picture small-picture" : "picture"} role="img" aria-label={alt} />;
}
