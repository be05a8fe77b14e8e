'use client';
import { CalendarDays, ChevronLeft, CreditCard, UserRound } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '#web/ui/button.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { type Go, type Place, SCREENS, type Screen } from './screen.ts';
import { ScreenOf } from './screen-of.tsx';
import type { Session } from './use-session.ts';

const TABS = [
  { at: 'profile', label: 'Profile', icon: UserRound },
  { at: 'plan', label: 'Plan', icon: CreditCard },
  { at: 'visits', label: 'Visits', icon: CalendarDays },
] as const;

/** Returns the tab that a screen belongs to. */
const tabOf = (at: Place): Place => SCREENS[at].back?.at ?? at;

type AppCardProps = {
  screen: Screen;
  go: Go;
  session: Session;
  readAgain: () => Promise<void>;
};

/** The patient's app, at the size of a phone. */
export function AppCard(props: AppCardProps) {
  const { screen, go, session } = props;
  const { title, back, isInside } = SCREENS[screen.at];
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(screen.at);
  useEffect(() => {
    // When a button opens another screen, the focus moves to its heading, so that screen readers announce it.
    if (last.current !== screen.at && document.activeElement === document.body) heading.current?.focus();
    last.current = screen.at;
  }, [screen.at]);
  return (
    <section
      aria-label="The patient's app"
      className="flex min-h-[34rem] flex-col overflow-hidden rounded-[1.75rem] border border-line bg-surface shadow-pop lg:min-h-[42rem]"
    >
      <header className="flex h-14 shrink-0 items-center gap-2 border-b border-line px-4">
        {back ? (
          <IconButton icon={ChevronLeft} label="Back" className="-ml-2" onClick={() => go(back)} />
        ) : (
          <LogoMark className="size-6" />
        )}
        <h2 ref={heading} tabIndex={-1} className="text-base font-semibold tracking-tight outline-none">
          {title}
        </h2>
      </header>
      <div className="flex-1 p-4 pb-6">
        {session.is === 'out' && session.wasIn && !isInside && (
          <p role="status" className="mb-4 rounded-md bg-info-soft px-3 py-2 text-info-ink">
            You are signed out.
          </p>
        )}
        <ScreenOf {...props} />
      </div>
      {session.is === 'in' && (
        <nav aria-label="App" className="grid grid-cols-3 border-t border-line bg-raised">
          {TABS.map(({ at, label, icon: Icon }) => (
            <button
              key={at}
              type="button"
              aria-current={tabOf(screen.at) === at ? 'page' : undefined}
              onClick={() => go({ at })}
              className="flex h-15 flex-col items-center justify-center gap-0.5 text-xs font-medium text-muted hover:text-ink focus-visible:-outline-offset-2 aria-[current]:text-accent-ink"
            >
              <Icon aria-hidden className="size-5" />
              {label}
            </button>
          ))}
        </nav>
      )}
    </section>
  );
}
