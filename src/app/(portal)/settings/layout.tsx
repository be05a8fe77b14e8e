import type { ReactNode } from 'react';
import { AdminOnly } from '#web/portal/shell/admin-only.tsx';

export default function SettingsLayout({ children }: { children: ReactNode }) {
  return <AdminOnly>{children}</AdminOnly>;
}
