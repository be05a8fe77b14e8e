import type { ReactNode } from 'react';
import { OwnDocument } from '#web/ui/visit-call/own-document.tsx';

export default function CallLayout({ children }: { children: ReactNode }) {
  return <OwnDocument>{children}</OwnDocument>;
}
