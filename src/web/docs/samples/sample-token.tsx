'use client';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { askOwnThings } from './ask-own-things.ts';
import { useGivenThings } from './own-things.tsx';

/** Gives the admin of a sandbox a token of one of its applications, and own ids, for the samples. */
export function SampleToken({ applicationId }: { applicationId: string }) {
  const { given, keep } = useGivenThings();
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  const ask = async () => {
    setState('asking');
    try {
      keep(await askOwnThings(applicationId));
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  if (given)
    return (
      <div className="grid gap-2">
        <CodeBlock whole title="Token, good for 60 minutes" of="your sandbox" code={`export TOKEN=${given.token}`} />
        <p className="text-muted">
          The samples of curl and Python below take it from there, and have ids of your sandbox where it has such a
          thing. In TypeScript, give the client{' '}
          <code className="font-mono text-[13px]">tokens: async () =&gt; process.env.TOKEN ?? ''</code>.
        </p>
      </div>
    );
  return (
    <div className="grid justify-items-start gap-2">
      <Button pending={state === 'asking'} onClick={() => void ask()}>
        <KeyRound aria-hidden />
        Get a token and ids of your sandbox
      </Button>
      <p className="text-muted">
        Until then patients, visits and the like are made up in the samples. Dates lie in the days to come; a time to
        book has to be one of <code className="font-mono text-[13px]">GET /availability</code>.
      </p>
      {state === 'failed' && (
        <p role="alert" className="text-danger-ink">
          No token was given. Sign in to the portal as an administrator, and try again.
        </p>
      )}
    </div>
  );
}
