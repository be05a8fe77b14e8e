'use client';
import { createContext, type ReactNode, use, useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { LANGUAGE_COOKIE, LANGUAGES, type Language, type Samples } from './languages.ts';
import { useReaderData } from './reader-data.tsx';
import { withReaderIds } from './reader-ids.ts';

const YEAR_S = 365 * 86_400;
const NAMES: Record<Language, string> = { curl: 'curl', typescript: 'TypeScript', python: 'Python' };

type Choice = { language: Language; choose: (language: Language) => void };
const LanguageContext = createContext<Choice>({ language: LANGUAGES[0], choose: () => {} });

/** The language of all samples, stored in a cookie, so that the server renders the next page with it. */
export function LanguageProvider({ initial, children }: { initial: Language; children: ReactNode }) {
  const [language, setLanguage] = useState(initial);
  const choose = (chosen: Language) => {
    setLanguage(chosen);
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = `${LANGUAGE_COOKIE}=${chosen}; Path=/docs; Max-Age=${YEAR_S}; SameSite=Lax`;
  };
  return <LanguageContext value={{ language, choose }}>{children}</LanguageContext>;
}

/** A call in each language, of which the selected one is shown. */
export function CodeSamples({ of, samples }: { of: string; samples: Samples }) {
  const { language, choose } = use(LanguageContext);
  const { data } = useReaderData();
  return (
    <CodeBlock
      isFullHeight
      title={NAMES[language]}
      of={of}
      code={withReaderIds(samples[language], data?.values ?? {})}
      head={
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn
        <span role="group" aria-label={`Language: ${of}`} className="-ml-1.5 flex min-w-0 flex-wrap">
          {LANGUAGES.map((option) => (
            <button
              key={option}
              type="button"
              aria-pressed={option === language}
              onClick={() => choose(option)}
              className={`min-h-7 rounded-sm px-1.5 text-xs font-medium ${option === language ? 'text-accent-ink underline underline-offset-4' : 'text-muted hover:text-ink'}`}
            >
              {NAMES[option]}
            </button>
          ))}
        </span>
      }
    />
  );
}
