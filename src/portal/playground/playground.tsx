'use client';
import { useEffect, useState } from 'react';
import { Badge } from '#portal/ui/badge.tsx';
import { Button } from '#portal/ui/button.tsx';
import { LogoMark } from '#portal/ui/logo.tsx';
import { forgetTokens, keepTokens, readTokens, refuseOtherAddress, type Tokens } from './read-tokens.ts';
import { Stage } from './stage.tsx';
import { configure } from './steps/configure.ts';
import { TokensForm } from './tokens-form.tsx';

type Opened = { is: 'opening' } | { is: 'closed'; error: unknown } | { is: 'open' };

type PlaygroundProps = {
  /** Name and text of each file of steps/. */
  code: Record<string, string>;
  stripeScript: string | null;
  /** Of this sandbox, when it has one clinic only. */
  clinic: Tokens | null;
};

/** A patient's app made of the SDK and the REST API alone, and beside each step its code. */
export function Playground({ code, stripeScript, clinic }: PlaygroundProps) {
  const [opened, setOpened] = useState<Opened>({ is: 'opening' });
  const open = (tokens: Tokens) => {
    configure(tokens);
    refuseOtherAddress(tokens);
    setOpened({ is: 'open' });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is there
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
        <Badge tone="warn" className="max-sm:hidden">
          Sandbox
        </Badge>
        <nav aria-label="Elsewhere" className="ml-auto flex items-center gap-1">
          <Button asChild variant="ghost" size="sm">
            <a href="/docs">API reference</a>
          </Button>
          {opened.is === 'open' && (
            <Button
              variant="ghost"
              size="sm"
              onClick={() => {
                forgetTokens();
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
              keepTokens(tokens);
            }}
          />
        )}
        {opened.is === 'open' && <Stage code={code} stripeScript={stripeScript} />}
      </main>
    </div>
  );
}
