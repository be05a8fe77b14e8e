'use client';
import { useEffect, useRef, useState } from 'react';

type EmailFrameProps = { title: string; html: string };

/** Undefined before the email has loaded, while the frame is empty. */
const emailHeight = (frame: HTMLIFrameElement | null): number | undefined =>
  frame?.contentDocument?.body?.offsetHeight || undefined;

/**
 * An email's own HTML, on white in every theme, as mail programs show it. The frame runs no scripts. The page's policy
 * forbids style attributes, so the page sets those styles itself once the email has loaded, and the height, which
 * depends on the width. Its links are for show.
 */
export function EmailFrame({ title, html }: EmailFrameProps) {
  const [height, setHeight] = useState(400);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(() => setHeight((before) => emailHeight(frame.current) ?? before));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const show = () => {
    const email = frame.current?.contentDocument;
    if (!email) return;
    for (const element of email.querySelectorAll<HTMLElement>('[data-style]'))
      element.style.cssText = element.dataset.style ?? '';
    // A click with another button than the first is an `auxclick`.
    for (const type of ['click', 'auxclick']) email.addEventListener(type, (event) => event.preventDefault());
    setHeight((before) => emailHeight(frame.current) ?? before);
  };
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-same-origin"
      srcDoc={html.replaceAll(' style="', ' data-style="')}
      onLoad={show}
      height={height}
      className="w-full rounded-md bg-white scheme-light"
    />
  );
}
