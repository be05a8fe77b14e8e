import type { ReactNode } from 'react';
import { RequiresOfPage } from '#web/portal/shell/requires.tsx';

export default function SettingsLayout({ children }: { children: ReactNode }) {
  return <RequiresOfPage>{children}</RequiresOfPage>;
}
