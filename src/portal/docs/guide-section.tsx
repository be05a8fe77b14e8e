import type { ReactNode } from 'react';
import { AnchoredHeading } from './anchored-heading.tsx';
import { CodeBlock } from './code-block.tsx';
import { DocSection } from './doc-section.tsx';

/** This deployment, as far as its callers know it. */
export type Deployment = {
  environment: 'sandbox' | 'production';
  baseUrl: string;
  tokenUrl: string;
  requestsPerMinute: number;
};

/** A few words before the endpoints. */
export type Guide = { anchor: string; title: string; body: ReactNode; examples?: { title: string; code: string }[] };

export function GuideSection({ guide: { anchor, title, body, examples = [] } }: { guide: Guide }) {
  return (
    <DocSection
      anchor={anchor}
      aside={
        examples.length > 0 &&
        examples.map((example) => (
          <CodeBlock key={example.title} of={title} title={example.title} code={example.code} />
        ))
      }
    >
      <AnchoredHeading level={2} anchor={anchor} title={title} />
      <div className="mt-3 grid max-w-prose gap-3">{body}</div>
    </DocSection>
  );
}
