import type { ReactNode } from 'react';
import { OwnDocument } from '#web/patient/visit/own-document.tsx';

export default function CallLayout({ children }: { children: ReactNode }) {
  return <OwnDocument>{children}</OwnDocument>;
}
