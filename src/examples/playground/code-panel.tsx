import { CodeFile } from './code-file.tsx';
import { SCREENS, type Screen } from './screen.ts';
import { withImports } from './with-imports.ts';

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
