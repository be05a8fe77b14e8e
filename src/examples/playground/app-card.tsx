'use client';
import { CalendarDays, ChevronLeft, CreditCard, UserRound } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '#web/ui/button.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { Loading } from './loading.tsx';
import { type Go, type Place, SCREENS, type Screen } from './screen.ts';
import { Appointments } from './screens/appointments.tsx';
import { Book } from './screens/book.tsx';
import { ConfirmEmail, SignInByEmail, SignUpByEmail } from './screens/by-email.tsx';
import { EnterCode, SignInByPhone, SignUpByPhone } from './screens/by-phone.tsx';
import { CancelPlan } from './screens/cancel-plan.tsx';
import { ForgottenPassword, NewPassword, ReplacePassword } from './screens/forgotten-password.tsx';
import { Pay } from './screens/pay.tsx';
import { Plan } from './screens/plan.tsx';
import { Profile } from './screens/profile.tsx';
import { Reschedule } from './screens/reschedule.tsx';
import { ChangeEmail, ChangePassword, ChangePhoneNumber } from './screens/sign-in-data.tsx';
import type { Session } from './use-session.ts';

const TABS = [
  { at: 'profile', label: 'Profile', icon: UserRound },
  { at: 'plan', label: 'Plan', icon: CreditCard },
  { at: 'appointments', label: 'Appointments', icon: CalendarDays },
] as const;

/** Returns the tab that a screen belongs to. */
const tabOf = (at: Place): Place => SCREENS[at].back?.at ?? at;

type AppCardProps = {
  screen: Screen;
  go: Go;
  session: Session;
  reloadSession: () => Promise<void>;
};

/** The patient's app, at the size of a phone. */
export function AppCard(props: AppCardProps) {
  const { screen, go, session } = props;
  const { title, back, isInside } = SCREENS[screen.at];
  const heading = useRef<HTMLHeadingElement>(null);
  const previous = useRef(screen.at);
  useEffect(() => {
    // When a button opens another screen, the focus moves to its heading, so that screen readers announce it.
    if (previous.current !== screen.at && document.activeElement === document.body) heading.current?.focus();
    previous.current = screen.at;
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

type ScreenOfProps = {
  screen: Screen;
  go: Go;
  session: Session;
  reloadSession: () => Promise<void>;
};

function ScreenOf({ screen, go, session, reloadSession }: ScreenOfProps) {
  if (session.is === 'opening' || session.is === 'unknown')
    return (
      <Loading error={session.is === 'unknown' && session.error} what="the app" onRetry={() => void reloadSession()} />
    );
  if (session.is === 'out')
    switch (screen.at) {
      case 'sign-in-by-phone':
        return <SignInByPhone go={go} />;
      case 'enter-code':
        return <EnterCode waiting={screen.waiting} go={go} />;
      case 'sign-up-by-email':
        return <SignUpByEmail go={go} />;
      case 'confirm-email':
        return <ConfirmEmail email={screen.email} go={go} />;
      case 'sign-in-by-email':
        return <SignInByEmail email={screen.email} isConfirmed={screen.isConfirmed} go={go} />;
      case 'forgotten-password':
        return <ForgottenPassword go={go} />;
      case 'new-password':
        return <NewPassword email={screen.email} />;
      case 'replace-password':
        return <ReplacePassword email={screen.email} />;
      default:
        return <SignUpByPhone go={go} />;
    }
  const { payload } = session;
  const patientId = payload.userId;
  switch (screen.at) {
    case 'change-email':
      return <ChangeEmail sentTo={screen.sentTo} go={go} onChanged={reloadSession} />;
    case 'change-phone-number':
      return <ChangePhoneNumber sentTo={screen.sentTo} go={go} onChanged={reloadSession} />;
    case 'change-password':
      return <ChangePassword />;
    case 'plan':
      return <Plan patientId={patientId} go={go} />;
    case 'pay':
      return <Pay id={screen.id} go={go} />;
    case 'cancel-plan':
      return <CancelPlan id={screen.id} go={go} />;
    case 'appointments':
      return <Appointments patientId={patientId} go={go} />;
    case 'book':
      return <Book patientId={patientId} typeId={screen.typeId} go={go} />;
    case 'move':
      return <Reschedule id={screen.id} go={go} />;
    default:
      return <Profile payload={payload} go={go} />;
  }
}
