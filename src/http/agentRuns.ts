import { createRoute, z } from '@hono/zod-openapi';
import {
  agentRunBody,
  agentRunTimeline,
  listAgentRuns,
  lookAtAgentRun,
  pauseAgentRun,
  resumeAgentRun,
  showAgentRun,
  startAgentRun,
} from '../application/agent/agentRuns';
import { agentRunView } from '../application/agent/agentRunView';
import { isAgentRunEnded } from '../domain/agent/state';
import { agentRunFilterOf, agentRunQuery } from './agentRunQuery';
import { agentRunSchema } from './agentRunSchemas';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { encodeCursor } from './cursor';
import { liveStream, streamLive } from './liveView';
import { orderBody, orderOf } from './orders';
import { idempotencyKey } from './refunds';
import { answers, pageOf, problems, timelineSchema } from './schemas';
import { requireScope } from './scopes';

const bearer = [{ bearer: [] }];
const runIdParameter = z.object({ runId: z.string() });

const ordered = (operationId: string, verb: 'pause' | 'resume', summary: string) =>
  createRoute({
    method: 'post',
    path: `/v1/runs/{runId}/${verb}`,
    operationId,
    summary,
    security: bearer,
    request: {
      params: runIdParameter,
      body: orderBody,
    },
    responses: {
      ...answers(200, 'The run', agentRunSchema),
      ...problems(404, 409, 422),
    },
  });

const routes = {
  start: createRoute({
    method: 'post',
    path: '/v1/runs',
    operationId: 'startAgentRun',
    summary: 'Start an agent run; the same key and body give the same run',
    security: bearer,
    request: {
      headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255) }),
      body: { required: true, content: { 'application/json': { schema: agentRunBody } } },
    },
    responses: {
      ...answers(202, 'Accepted', agentRunSchema),
      ...problems(409, 422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/runs',
    operationId: 'listAgentRuns',
    summary: 'Agent runs of the tenant, newest first; of a person, those that concern him',
    security: bearer,
    request: { query: agentRunQuery },
    responses: { ...answers(200, 'A page', pageOf(agentRunSchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/runs/{runId}',
    operationId: 'showAgentRun',
    summary: 'One agent run: its plan, steps and outputs',
    security: bearer,
    request: { params: runIdParameter },
    responses: { ...answers(200, 'The run', agentRunSchema), ...problems(404) },
  }),
  timeline: createRoute({
    method: 'get',
    path: '/v1/runs/{runId}/timeline',
    operationId: 'agentRunTimeline',
    summary: 'Every transition, with actor and time',
    security: bearer,
    request: { params: runIdParameter },
    responses: { ...answers(200, 'Its audit rows', timelineSchema), ...problems(404) },
  }),
  events: createRoute({
    method: 'get',
    path: '/v1/runs/{runId}/events',
    operationId: 'agentRunEvents',
    summary: 'Its timeline, live, as server-sent events; resumes after Last-Event-ID',
    security: bearer,
    request: { params: runIdParameter },
    responses: {
      ...liveStream(
        'One event per transition, and `progress` whenever it has changed; ends with the run',
        'an AgentRun',
      ),
      ...problems(404),
    },
  }),
  pause: ordered('pauseAgentRun', 'pause', 'Pause it before its next step'),
  resume: ordered('resumeAgentRun', 'resume', 'Go on at the next step, with a new budget of steps'),
};

/** `/v1/runs` */
export function agentRunRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/runs', async (c) => {
    // A run proposes refunds in the name of whoever starts it.
    requireScope(c, ['refunds:propose']);
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const body = await readBody(c, agentRunBody);
    return c.json(agentRunView(await startAgentRun(dependencies, c.get('principal'), key, body)), 202);
  });

  api.get('/v1/runs', async (c) => {
    const filter = agentRunFilterOf(parseInput(agentRunQuery, c.req.query()));
    const { items, next } = await listAgentRuns(dependencies, c.get('principal'), filter);
    return c.json({
      items: items.map(agentRunView),
      nextCursor: encodeCursor(next && { at: next.createdAt, id: next.runId }),
    });
  });

  api.get('/v1/runs/:runId', async (c) =>
    c.json(agentRunView(await showAgentRun(dependencies, c.get('principal'), c.req.param('runId')))),
  );

  api.get('/v1/runs/:runId/timeline', async (c) => {
    const items = await agentRunTimeline(dependencies, c.get('principal'), c.req.param('runId'));
    return c.json({ items, nextCursor: null });
  });

  api.get('/v1/runs/:runId/events', async (c) => {
    const id = c.req.param('runId');
    const principal = c.get('principal');
    await showAgentRun(dependencies, principal, id);
    const look = async () => {
      const { run, transitions } = await lookAtAgentRun(dependencies, principal, id);
      const whole = agentRunView(run);
      return { whole, transitions, ended: isAgentRunEnded(whole) };
    };
    return streamLive(c, dependencies, { id, look, lookEveryMs: 2_000 });
  });

  const ordersOf = { pause: pauseAgentRun, resume: resumeAgentRun };
  for (const [verb, carryOut] of Object.entries(ordersOf))
    api.post(`/v1/runs/:runId/${verb}`, async (c) => {
      const runId = c.req.param('runId');
      await showAgentRun(dependencies, c.get('principal'), runId);
      const { expectedVersion } = await orderOf(c);
      return c.json(agentRunView(await carryOut(dependencies, c.get('principal'), runId, expectedVersion)));
    });
}
