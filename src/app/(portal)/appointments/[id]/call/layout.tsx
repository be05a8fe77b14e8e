import type { ReactNode } from 'react';
import { FreshDocument } from '#web/ui/visit-call/fresh-document.tsx';

export default function CallLayout({ children }: { children: ReactNode }) {
  return <FreshDocument>{children}</FreshDocument>;
}
