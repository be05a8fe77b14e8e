import { NewDevices } from '#web/patient/new-devices/new-devices.tsx';

export const metadata = { title: 'New devices', referrer: 'no-referrer' };

export default function Page() {
  return <NewDevices />;
}
