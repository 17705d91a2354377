import { tellDemo } from './demo/tell';
import { scenes } from './demo/scenes';

/** `npm run demo`: the story on real processes, with its checks counted at the payment provider. */
void tellDemo({
  command: 'npm run demo --',
  description:
    'Tells how a refund survives deaths, doubts and double clicks, on real processes in a fresh folder',
  title: 'Countersign: refunds that outlive everything. Real processes, a simulated payment provider.',
  scenes,
});
