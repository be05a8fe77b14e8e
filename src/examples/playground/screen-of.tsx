'use client';
import { Loading } from './loading.tsx';
import type { Go, Screen } from './screen.ts';
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
import { Visits } from './screens/visits.tsx';
import type { Session } from './use-session.ts';

type ScreenOfProps = {
  screen: Screen;
  go: Go;
  session: Session;
  readAgain: () => Promise<void>;
};

export function ScreenOf({ screen, go, session, readAgain }: ScreenOfProps) {
  if (session.is === 'opening' || session.is === 'unknown')
    return (
      <Loading error={session.is === 'unknown' && session.error} what="the app" onRetry={() => void readAgain()} />
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
      return <ChangeEmail sentTo={screen.sentTo} go={go} onChanged={readAgain} />;
    case 'change-phone-number':
      return <ChangePhoneNumber sentTo={screen.sentTo} go={go} onChanged={readAgain} />;
    case 'change-password':
      return <ChangePassword />;
    case 'plan':
      return <Plan patientId={patientId} go={go} />;
    case 'pay':
      return <Pay id={screen.id} go={go} />;
    case 'cancel-plan':
      return <CancelPlan id={screen.id} go={go} />;
    case 'visits':
      return <Visits patientId={patientId} go={go} />;
    case 'book':
      return <Book patientId={patientId} typeId={screen.typeId} go={go} />;
    case 'move':
      return <Reschedule id={screen.id} go={go} />;
    default:
      return <Profile payload={payload} go={go} />;
  }
}
