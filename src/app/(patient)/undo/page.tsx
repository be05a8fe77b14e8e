import { UndoChange } from '#web/patient/undo-change/undo-change.tsx';

export const metadata = { title: 'Undo a change', referrer: 'no-referrer' };

export default function Page() {
  return <UndoChange />;
}
