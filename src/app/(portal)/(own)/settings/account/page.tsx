import { AccountPage } from '#web/portal/account/account-page.tsx';

export const metadata = { title: 'Your account' };

export default function Page() {
  return <AccountPage />;
}
