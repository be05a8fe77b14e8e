import { NewDevices } from '#portal/new-devices/new-devices.tsx';

export const metadata = { title: 'New devices', referrer: 'no-referrer' };

export default function Page() {
  return <NewDevices />;
}
