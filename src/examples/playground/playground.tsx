'use client';
import { ChevronRight, CodeXml, Download, Mail, Smartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { SandboxBadge } from '#web/ui/sandbox-badge.tsx';
import { AppCard } from './app-card.tsx';
import { colourCode, type Shade } from './colour-code.ts';
import { RequestsList } from './requests-list.tsx';
import { SCREENS, type Screen, waitsForCode } from './screen.ts';
import { configure } from './steps/configure.ts';
import { assertSameOrigin, clearTokens, readTokens, storeTokens, type Tokens, TokensForm } from './tokens-form.tsx';
import { useScreen } from './use-screen.ts';
import { useSession } from './use-session.ts';

type SentCodeProps = { to: string; isReload: boolean };

/** Shows the message that the patient's phone would get; in a sandbox it stays on the machine. */
function SentCode({ to, isReload }: SentCodeProps) {
  const sent = useSentCode(to, isReload);
  const isMail = to.includes('@');
  const Icon = isMail ? Mail : Smartphone;
  return (
    <section
      aria-label="The patient’s messages"
      aria-live="polite"
      className="mb-3 flex min-h-16 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-2 shadow-card"
    >
      <Icon aria-hidden className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="text-xs text-muted">Sandbox: the patient’s {isMail ? 'email' : 'text message'}</p>
        {sent.is === 'here' && <p className="font-mono text-lg tracking-[0.2em]">{sent.code}</p>}
        {sent.is === 'awaited' && <p className="text-muted">On its way…</p>}
        {sent.is === 'elsewhere' && (
          <p className="text-muted">
            It is in the portal’s{' '}
            <a href="/inbox" target="_blank" rel="noopener" className="rounded-sm underline underline-offset-3">
              Inbox
            </a>
            , for staff.
          </p>
        )}
      </div>
      {sent.is === 'here' && (
        <Button size="sm" onClick={() => fillIn(sent.code)}>
          Fill in
        </Button>
      )}
    </section>
  );
}

/** Fills in the code like a phone's keyboard: the app itself does not know where the code comes from. */
function fillIn(code: string): void {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete="one-time-code"]');
  if (!field) return;
  field.value = code;
  field.focus();
}

/** A code can be requested every 30 seconds at most, and is sent immediately. */
const SINCE_MS = 20_000;
/** After a reload, the code may have been sent earlier. */
const SINCE_RELOAD_MS = 600_000;
const FAST_POLL_MS = 1000;
const SLOW_POLL_MS = 3000;

type CodeState = { is: 'awaited' } | { is: 'here'; code: string; kind: 'email' | 'sms' } | { is: 'elsewhere' };

/**
 * Polls for the newest code that the sandbox sent to an address.
 * @param isReload whether the page was opened on this screen
 */
function useSentCode(to: string, isReload: boolean): CodeState {
  const [sent, setSent] = useState<CodeState>({ is: 'awaited' });
  useEffect(() => {
    const after = new Date(Date.now() - (isReload ? SINCE_RELOAD_MS : SINCE_MS)).toISOString();
    let timer: ReturnType<typeof setTimeout>;
    let isActive = true;
    const poll = async () => {
      const response = await fetchCode(to, after);
      if (!isActive) return;
      if (response) setSent(response);
      if (response?.is !== 'elsewhere') timer = setTimeout(poll, response?.is === 'here' ? SLOW_POLL_MS : FAST_POLL_MS);
    };
    void poll();
    return () => {
      isActive = false;
      clearTimeout(timer);
    };
  }, [to, isReload]);
  return sent;
}

/** Returns null when there is no code yet, or after an error. */
async function fetchCode(to: string, after: string): Promise<CodeState | null> {
  try {
    const response = await fetch('/api/sandbox/codes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to, after }),
    });
    if (response.status === 404) return { is: 'elsewhere' };
    const [newest] = response.ok ? (await response.json()).items : [];
    return newest ? { is: 'here', code: newest.code, kind: newest.kind } : null;
  } catch {
    return null;
  }
}

const IMPORTED_FILE = / from '\.\/([\w-]+)\.ts'/g;

/** Returns the given files of steps/, then the configuration of the SDK and all files that they import. */
export function withImports(names: string[], code: Record<string, string>): string[] {
  const all = new Set([...names, 'configure']);
  // A Set iterates over entries that are added during the loop.
  for (const name of all) for (const [, imported] of (code[name] ?? '').matchAll(IMPORTED_FILE)) all.add(imported!);
  return [...all];
}

type CodePanelProps = { screen: Screen; code: Record<string, string> };

/** Shows the source files that the current step runs, including their imports. */
function CodePanel({ screen, code }: CodePanelProps) {
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

type Opened = { is: 'opening' } | { is: 'closed'; error: unknown } | { is: 'open'; tokens: Tokens };

/** URL of the app's source code as a zip file, configured for the open clinic. */
const appUrlOf = (opened: Opened): string =>
  opened.is === 'open' ? `/playground/app.zip?${new URLSearchParams(opened.tokens)}` : '/playground/app.zip';

type PlaygroundProps = {
  /** Contents of the files in steps/, by name. */
  code: Record<string, string>;
  /** The tokens of this sandbox's clinic, when there is only one. */
  clinic: Tokens | null;
};

/** A patient's app that only uses the SDK and the REST API, next to the code of each step. */
export function Playground({ code, clinic }: PlaygroundProps) {
  const [opened, setOpened] = useState<Opened>({ is: 'opening' });
  const open = (tokens: Tokens) => {
    configure(tokens);
    assertSameOrigin(tokens);
    setOpened({ is: 'open', tokens });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, after the page has loaded
  useEffect(() => {
    const tokens = readTokens();
    try {
      if (tokens) open(tokens);
      else setOpened({ is: 'closed', error: null });
    } catch (error) {
      setOpened({ is: 'closed', error });
    }
  }, []);
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-6xl flex-col px-4 pb-10 md:px-6">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 py-4">
        <LogoMark className="size-7" />
        <h1 className="text-lg font-semibold tracking-tight">Playground</h1>
        <SandboxBadge className="max-sm:hidden" />
        <nav aria-label="Elsewhere" className="ml-auto flex flex-wrap items-center gap-1 max-sm:-ml-2.5">
          <Button asChild variant="ghost" size="sm">
            <a href="/docs">API reference</a>
          </Button>
          <Button asChild variant="secondary" size="sm">
            <a href={appUrlOf(opened)} download>
              <Download aria-hidden className="max-sm:hidden" />
              Take this app with you
            </a>
          </Button>
          {opened.is === 'open' && (
            <Button
              variant="ghost"
              size="sm"
              onClick={() => {
                clearTokens();
                setOpened({ is: 'closed', error: null });
              }}
            >
              Other clinic
            </Button>
          )}
        </nav>
      </header>
      <main className="flex-1">
        <p className="mb-6 text-muted">
          A patient’s app that uses nothing but the SDK and the public REST API. Take a step, and read the code that
          ran.
        </p>
        {opened.is === 'closed' && (
          <TokensForm
            error={opened.error}
            clinic={clinic}
            onTokens={(tokens) => {
              open(tokens);
              storeTokens(tokens);
            }}
          />
        )}
        {opened.is === 'open' && <Stage code={code} />}
      </main>
    </div>
  );
}

/** The app on the left and its code and requests on the right; on a phone these are collapsed below the app. */
function Stage({ code }: { code: Record<string, string> }) {
  const { session, reloadSession } = useSession();
  const [screen, go] = useScreen(session);
  const [first] = useState(screen);
  const [isShown, setShown] = useState(false);
  const sentTo = waitsForCode(screen);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[25rem_minmax(0,1fr)] lg:gap-10">
      <div className="lg:sticky lg:top-6">
        {sentTo && <SentCode key={screen.at} to={sentTo} isReload={screen === first} />}
        <AppCard {...{ screen, go, session, reloadSession }} />
      </div>
      <Button className="lg:hidden" aria-expanded={isShown} aria-controls="behind" onClick={() => setShown(!isShown)}>
        <CodeXml aria-hidden />
        {isShown ? 'Hide the code' : 'Show the code of this step'}
      </Button>
      <div id="behind" className={`grid grid-cols-[minmax(0,1fr)] gap-6 ${isShown ? '' : 'max-lg:hidden'}`}>
        <CodePanel screen={screen} code={code} />
        <RequestsList />
      </div>
    </div>
  );
}
