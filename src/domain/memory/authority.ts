import { foldText } from '../screening/fold';

/** Phrases over words in lower case without accents; `~n` stands for up to n words between. */
function phrases(...sources: string[]): RegExp {
  const joined = sources.map((source) => source.replace(/ ~([0-9]) /g, ' (?:\\S+ ){0,$1}?'));
  return new RegExp(` (?:${joined.join('|')})`, 'u');
}

const review =
  '(?:reviews?|reviewers?|approvals?|approvers?|sign ?off|second (?:look|person|pair)|authori[sz]ation)';
const role =
  '(?:admins?|administrators?|managers?|supervisors?|approvers?|reviewers?|finance lead|superuser|auditor|ceo|cfo)\\b';

/** Text that would give somebody power over refunds, if anybody believed it. */
const authorityClaims: readonly RegExp[] = [
  phrases(
    `(?:no|without|skip|skips|skipping|bypass\\S*|waive\\S*|avoid|omit|exempt from|not need|not require|never needs?|never requires?|don t need|doesn t need|do not wait for|needn t|need not) ~3 ${review}`,
    `${review} ~4 (?:not needed|not required|not necessary|unnecessary|waived|optional|off|disabled)\\b`,
    'auto(?:matically)? ?(?:approv|refund|accept|grant)\\S*',
    'pre ?approved',
    'always (?:approve|accept|grant|authori[sz]e|refund (?:me|them|him|her|us|everything|anything|this|every|in full))',
    'approve ~3 (?:always|automatically|immediately|everything|all|any|every)\\b',
    'refund\\S* ~5 (?:without (?:asking|question|questions|checking)|no questions|automatically)',
    'already (?:been )?approved',
    'approved by (?:the )?(?:finance|lead|manager|admin|reviewer|legal|support|ceo|cfo)',
    `(?:i am|i m|user is|customer is|treat ~2 as|act as|role is|role|acts as|promoted to) (?:an? |the |your )?(?:\\S+ )?${role}`,
    '(?:limits?|thresholds?|caps?|polic(?:y|ies)|rules?|quorum) ~4 (?:raised|increased|lifted|removed|unlimited|not apply|n t apply|t apply|no longer|is now|are now|waived|ignored?|off)\\b',
    '(?:raise|increase|lift|remove|ignore|override|disregard|change|disable|turn off|rewrite) ~4 (?:limits?|thresholds?|caps?|polic(?:y|ies)|rules?|approvals?|reviews?|checks|guardrails?|quorum)\\b',
    '(?:authori[sz]ed|allowed|permitted|entitled|trusted|cleared|whitelisted|allowlisted) ~4 (?:refunds?|approve|approvals?|decide|unlimited|any amount)\\b',
    'unlimited refunds?',
  ),
  phrases(
    '(?:sin|omitir|omite|saltar|salta|evitar|no necesit\\S+|no requier\\S+|no hace falta) ~3 (?:revision|revisiones|aprobacion|aprobaciones|autorizacion|supervision)',
    '(?:revision|aprobacion|autorizacion) ~3 (?:no es necesari\\S+|innecesari\\S+)',
    '(?:siempre|automaticamente) (?:aprob\\S+|aprueb\\S+|autoriz\\S+)',
    '(?:aprob\\S+|aprueb\\S+) ~3 (?:siempre|automatica(?:mente)?|todo|todos|todas)\\b',
    '(?:soy|es|como) (?:el |la |un |una )?(?:administrador\\S*|gerente|supervisor\\S*|aprobador\\S*|jef[ea])\\b',
    '(?:ya )?aprobad[oa]s? por\\b',
    '(?:limite|politica|reglas?) ~3 (?:no se aplican?|ilimitad\\S+|ya no)',
  ),
  phrases(
    '(?:sans|ignorer|eviter|sauter|pas besoin d\\S*|dispense de) ~3 (?:approbation|validation|verification|revision|autorisation|examen|controle)',
    '(?:approbation|validation|autorisation) ~3 (?:inutile|pas necessaire|pas requise)',
    '(?:toujours|automatiquement) (?:approuv\\S+|accept\\S+|valid\\S+|autoris\\S+)',
    '(?:approuv\\S+|valid\\S+) ~3 (?:toujours|automatiquement|tout|tous|toutes)\\b',
    '(?:je suis|est|comme) (?:l |le |la |un |une )?(?:administrat\\S+|gerant\\S*|superviseur\\S*|responsable|directeur|directrice|approbateur)\\b',
    '(?:deja )?approuve\\S* par\\b',
  ),
  phrases(
    '(?:ohne|keine|uberspring\\S*|umgeh\\S*|braucht keine|benotigt keine) ~3 (?:\\S*prufung|\\S*freigabe|\\S*genehmigung|\\S*zustimmung|\\S*kontrolle|\\S*uberprufung)',
    '(?:prufung|freigabe|genehmigung) ~3 (?:nicht notig|nicht erforderlich|unnotig|entfallt)',
    '(?:immer|automatisch) (?:genehmig\\S+|freigeb\\S+|freigegeben|erstatt\\S+)',
    '(?:ich bin|ist|als) (?:der |die |ein |eine )?(?:administrator\\S*|admin|manager\\S*|vorgesetzte\\S*|prufer\\S*|chef\\S*)\\b',
    '(?:genehmigt|freigegeben) (?:von|durch)\\b',
  ),
  phrases(
    '(?:sem|senza|zonder|bez|pular|saltare|nao precis\\S+|non serve|geen) ~3 (?:aprovacao|revisao|autorizacao|approvazione|revisione|autorizzazione|goedkeuring|beoordeling|zatwierdzenia|akceptacji)',
    '(?:sempre|altijd|zawsze|automaticamente|automatisch) (?:aprov\\S+|approv\\S+|goedkeur\\S*|zatwierdz\\S+)',
    '(?:sou|sono|ik ben|jestem) (?:o |a |um |uma |il |la |un |una |de |een )?(?:administra\\S+|amministra\\S+|gerente|gestor\\S*|manager|beheerder)',
    'onaysiz|onay(?:a)? gerek(?:mez| yok)|yoneticiyim',
  ),
  phrases(
    '(?:без|не нужн\\S+|не треб\\S+|пропуст\\S+) ~3 (?:проверк\\S+|одобрен\\S+|утвержден\\S+|согласован\\S+|разрешен\\S+)',
    '(?:всегда|автоматически) (?:одобр\\S+|утвержд\\S+|возвращ\\S+)',
    '(?:я|как) (?:администратор|менеджер|руководитель|директор)',
  ),
  /(?:无需|不需要|不用|跳过|免|绕过|無需|不需|跳過)[^\s]{0,6}(?:审核|审批|批准|审查|审阅|人工|審核|審批|核准)|(?:自动|总是|始终|一律|直接|自動|總是)(?:批准|通过|退款|同意|核准)|我是(?:管理员|经理|主管|審核員|管理員|审批人)/u,
  /(?:承認|審査|レビュー|確認)[^\s]{0,4}(?:不要|なし|省略|スキップ)|(?:自動|常に|必ず)[^\s]{0,4}承認|(?:私は|俺は)[^\s]{0,4}(?:管理者|マネージャー|責任者)/u,
  /(?:승인|검토|심사)[^\n]{0,6}(?:없이|필요 ?없|생략|건너)|(?:자동|항상)[^\n]{0,3}승인|(?:나는|저는) ?(?:관리자|매니저)/u,
  /(?:بدون|دون|لا حاجة|لا يحتاج|تخط[يى])[^\n]{0,12}(?:مراجعة|موافقة|اعتماد|المراجعة|الموافقة)|(?:دائما|تلقائيا)[^\n]{0,8}(?:وافق|موافقة|الموافقة)|(?:أنا|انا) (?:المدير|مدير|المسؤول|مسؤول)/u,
  /(?:बिना|समीक्षा|मंज़ूरी|मंजूरी|अनुमोदन|स्वीकृति)[^\n]{0,16}(?:समीक्षा|मंज़ूरी|मंजूरी|अनुमोदन|स्वीकृति|ज़रूरत नहीं|जरूरत नहीं|आवश्यक नहीं|आवश्यकता नहीं|के बिना)|(?:हमेशा|स्वचालित)[^\n]{0,12}(?:मंज़ूर|मंजूर|स्वीकृत|अनुमोद)|मैं (?:व्यवस्थापक|प्रबंधक|एडमिन)/u,
  /(?:অনুমোদন|পর্যালোচনা|রিভিউ|যাচাই)[^\n]{0,10}(?:ছাড়া|ছাড়াই|লাগবে না|দরকার নেই|প্রয়োজন নেই)|(?:সবসময়|সর্বদা|স্বয়ংক্রিয়)[^\n]{0,14}অনুমোদন|আমি[^\n]{0,6}(?:প্রশাসক|ম্যানেজার|অ্যাডমিন)/u,
].map((pattern) => new RegExp(foldText(pattern.source).text, 'u'));

/** Text that speaks to a model instead of being about the owner. */
const instructions: readonly RegExp[] = [
  phrases(
    '(?:ignore|disregard|forget|override) ~3 (?:previous|prior|above|earlier|other|system) ?(?:instructions?|rules|messages?|prompts?|text)?',
    'system prompt|new instructions?|developer message|jailbreak',
    'you (?:are now|must now|must always|must never)',
    'ignora\\S* ~3 (?:instrucciones|istruzioni|instrucoes)|ignor\\S+ ~3 instructions|ignorier\\S* ~3 anweisungen|vergiss ~3 anweisungen',
    'игнорируй|забудь ~2 инструкции',
  ),
  /忽略[^\s]{0,8}(?:指令|指示|规则|規則)|以前の指示を無視|이전 지시[^\n]{0,4}무시|تجاهل[^\n]{0,10}التعليمات|निर्देशों को अनदेखा|নির্দেশ[^\n]{0,8}উপেক্ষা/u,
].map((pattern) => new RegExp(foldText(pattern.source).text, 'u'));

const markup =
  /<\/?[a-z][^<>\n]{0,60}>|<\|[^|\n]{0,40}\|>|\[\/?inst\]|(?:^|\n)\s{0,8}(?:system|assistant|developer)\s{0,3}:/i;

const keysOfAuthority =
  /(?:^|[._:/-])(?:approv\w*|auto[_-]?approv\w*|review(?:er|ers|s)?|limits?|thresholds?|roles?|admin\w*|permissions?|polic(?:y|ies)|rules?|authority|authori[sz]ation|quorum|group|groups|system|instructions?|prompt)(?=$|[._:/-])/i;

/** Whether a value, or the key it would stand under, claims power over refunds (R43). */
export function claimsAuthority(key: string, value: string): boolean {
  const words = asWords(value);
  return keysOfAuthority.test(key) || authorityClaims.some((claim) => claim.test(words));
}

/** Whether a value tries to instruct a model or to imitate the frame of a prompt. */
export function givesInstructions(value: string): boolean {
  const words = asWords(value);
  return markup.test(foldText(value).text) || instructions.some((shape) => shape.test(words));
}

function asWords(value: string): string {
  const words = foldText(value)
    .text.toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  return ` ${words.trim()} `;
}
