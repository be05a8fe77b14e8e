import { AuditPage } from '#web/portal/audit/audit-page.tsx';

export const metadata = { title: 'Audit log' };

export default function Page() {
  return <AuditPage />;
}
