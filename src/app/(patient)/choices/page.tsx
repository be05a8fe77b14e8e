import { Choices } from '#web/patient/choices/choices.tsx';

export const metadata = { title: 'Your reminders', referrer: 'no-referrer' };

export default function Page() {
  return <Choices />;
}
