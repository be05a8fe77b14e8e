'use client';
import { type SyntheticEvent, useState } from 'react';

type EmailFrameProps = { title: string; html: string };

/**
 * An email's own HTML, on white in every theme, as mail programs show it. The frame runs no scripts. The page's policy
 * forbids style attributes, so the page sets those styles itself once the email has loaded, and the height. Its links are for show.
 */
export function EmailFrame({ title, html }: EmailFrameProps) {
  const [height, setHeight] = useState(400);
  const show = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>) => {
    const email = frame.contentDocument;
    if (!email) return;
    for (const element of email.querySelectorAll<HTMLElement>('[data-style]'))
      element.style.cssText = element.dataset.style ?? '';
    email.addEventListener('click', (event) => event.preventDefault());
    setHeight(email.body.offsetHeight);
  };
  return (
    <iframe
      title={title}
      sandbox="allow-same-origin"
      srcDoc={html.replaceAll(' style="', ' data-style="')}
      onLoad={show}
      height={height}
      className="w-full rounded-md bg-white scheme-light"
    />
  );
}
