'use client';
import { CircleCheck, Link2Off } from 'lucide-react';
import Link from 'next/link';
import { useCallback, useEffect, useState } from 'react';
import type { StaffLinkView } from '#contract/team.ts';
import { readApiFaults } from '#portal/ui/api-faults.ts';
import { Button } from '#portal/ui/button.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { ErrorState } from '#portal/ui/error-state.tsx';
import { Skeleton } from '#portal/ui/skeleton.tsx';
import { openStaffLink } from './ask-staff-links.ts';
import { EntryFrame } from './entry-frame.tsx';
import { NewPasswordForm } from './new-password-form.tsx';

type Purpose = StaffLinkView['purpose'];

const WORDS = {
  invitation: {
    title: 'Join your clinic’s team',
    description: (clinic: string) => `${clinic} invites you to its portal. Choose a password, and you are in.`,
    done: 'Welcome to the team',
    wayOut: 'Ask an administrator of your clinic to send the invitation again.',
  },
  reset: {
    title: 'Set a new password',
    description: (clinic: string) => `For the portal of ${clinic}. Everywhere else you are signed out.`,
    done: 'Your new password is set',
    wayOut: (
      <Link href="/forgot-password" className="text-accent-ink underline underline-offset-3">
        Ask for a new link
      </Link>
    ),
  },
} as const;

type Stage =
  | { at: 'opening' }
  | { at: 'form'; token: string; link: StaffLinkView }
  | { at: 'done' }
  | { at: 'over' }
  | { at: 'trouble'; error: unknown };

/** The page behind a link in a mail to staff: joins the team, or sets a new password. The token stands in the fragment. */
export function PasswordLink({ purpose }: { purpose: Purpose }) {
  const [stage, setStage] = useState<Stage>({ at: 'opening' });
  const open = useCallback(async () => {
    const token = window.location.hash.slice(1);
    if (!token) return setStage({ at: 'over' });
    try {
      const link = await openStaffLink(token);
      setStage(link.purpose === purpose ? { at: 'form', token, link } : { at: 'over' });
    } catch (error) {
      const isOver = ['expired_code', 'not_found', 'invalid_parameter'].includes(readApiFaults(error)[0].code);
      setStage(isOver ? { at: 'over' } : { at: 'trouble', error });
    }
  }, [purpose]);
  useEffect(() => void open(), [open]);

  const words = WORDS[purpose];
  const description = stage.at === 'form' ? words.description(stage.link.clinic) : 'For staff.';
  return (
    <EntryFrame title={words.title} description={description}>
      {stage.at === 'opening' && (
        <div role="status" aria-label="Opening the link" className="grid gap-4">
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      )}
      {stage.at === 'form' && (
        <NewPasswordForm
          token={stage.token}
          link={stage.link}
          onDone={() => setStage({ at: 'done' })}
          onOver={() => setStage({ at: 'over' })}
        />
      )}
      {stage.at === 'over' && (
        <EmptyState
          icon={Link2Off}
          title="This link does not work any more"
          description={<>It was used already, replaced by a newer one, or is too old. {words.wayOut}</>}
        />
      )}
      {stage.at === 'trouble' && <ErrorState error={stage.error} onRetry={() => void open()} />}
      <div aria-live="polite">
        {stage.at === 'done' && (
          <EmptyState
            icon={CircleCheck}
            title={words.done}
            description="Sign in with your email and the password that you have just chosen."
            action={
              <Button asChild variant="primary">
                <Link href="/sign-in">Go to the sign-in</Link>
              </Button>
            }
          />
        )}
      </div>
    </EntryFrame>
  );
}
