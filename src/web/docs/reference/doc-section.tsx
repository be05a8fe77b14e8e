import type { ReactNode } from 'react';

type DocSectionProps = { anchor: string; children: ReactNode; aside?: ReactNode };

/** A section with an anchor: text on the left, examples on the right where they fit. */
export function DocSection({ anchor, children, aside }: DocSectionProps) {
  return (
    <section
      id={anchor}
      aria-labelledby={`${anchor}-title`}
      className="scroll-mt-13 border-t border-line py-8 xl:grid xl:grid-cols-[minmax(0,1fr)_29rem] xl:gap-8 2xl:grid-cols-[minmax(0,1fr)_36rem]"
    >
      <div className="min-w-0">{children}</div>
      {aside && <div className="grid min-w-0 content-start gap-4 max-xl:mt-6">{aside}</div>}
    </section>
  );
}
