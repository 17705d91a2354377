import { agentScenes } from './demo/scenes/agent';
import { tellDemo } from './demo/tell';

/** `npm run demo:agent`: from a customer's message to his money, with people between the two. */
void tellDemo({
  command: 'npm run demo:agent --',
  description: "Tells how an agent proposes a refund from a customer's message, and what people make of it",
  title:
    'Countersign: an agent proposes, people decide. Real processes, a simulated payment provider, no model needed.',
  scenes: agentScenes,
});
