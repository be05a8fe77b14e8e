import { ChevronRight } from 'lucide-react';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { colourCode, type Shade } from './colour-code.ts';
import { SCREENS, type Screen } from './screen.ts';

const NEEDED = / from '\.\/([\w-]+)\.ts'/g;

/** Returns the given files of steps/, then the configuration of the SDK and all files that they import. */
export function withImports(names: string[], code: Record<string, string>): string[] {
  const all = new Set([...names, 'configure']);
  // A Set iterates over entries that are added during the loop.
  for (const name of all) for (const [, needed] of (code[name] ?? '').matchAll(NEEDED)) all.add(needed!);
  return [...all];
}

type CodePanelProps = { screen: Screen; code: Record<string, string> };

/** Shows the source files that the current step runs, including their imports. */
export function CodePanel({ screen, code }: CodePanelProps) {
  const names = withImports(SCREENS[screen.at].code, code);
  return (
    <section aria-labelledby="code-title">
      <h2 id="code-title" className="mb-2 font-semibold">
        The code of this step
      </h2>
      <div key={screen.at} className="overflow-hidden rounded-xl border border-line bg-surface shadow-card">
        {names.map((name, index) => (
          <CodeFile key={name} name={`${name}.ts`} code={code[name] ?? ''} isOpen={index === 0} />
        ))}
      </div>
    </section>
  );
}

const COLOURS: Record<Shade, string | undefined> = {
  comment: 'text-muted italic',
  text: 'text-good-ink',
  word: 'text-accent-ink',
  plain: undefined,
};

type CodeFileProps = { name: string; code: string; isOpen: boolean };

/** Shows one file to read and copy; long lines scroll. */
function CodeFile({ name, code, isOpen }: CodeFileProps) {
  return (
    <details open={isOpen} className="group relative border-t border-line first:border-t-0">
      <summary className="flex h-10 list-none items-center gap-1.5 px-3 font-mono text-xs hover:bg-hover focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 text-muted transition-transform group-open:rotate-90" />
        {name}
      </summary>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <pre
        role="group"
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto px-4 pt-1 pb-4 font-mono text-xs/5 focus-visible:-outline-offset-2"
      >
        <code>
          {colourCode(code).map(({ at, shade, piece }) => (
            <span key={at} className={COLOURS[shade]}>
              {piece}
            </span>
          ))}
        </code>
      </pre>
      <CopyButton
        value={code}
        variant="ghost"
        size="sm"
        aria-label={`Copy ${name}`}
        className="absolute top-1.5 right-1.5"
      />
    </details>
  );
}
