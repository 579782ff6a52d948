/**
 * The words of a language for commitments, dates and amounts. Each line is a regular expression without case. Words are
 * whole, except in Korean and Japanese. `{verb}` stands for one of the verbs.
 */
export interface CommitmentWords {
  /** Words that tell the language from others; empty for a language with its own script. */
  readonly frequent: string;
  /** What people promise to do, in the form that the promises use. */
  readonly verbs: string;
  readonly promises: string;
  /** Phrases to ignore, because they only look like a promise. */
  readonly exceptions: string;
  /** Words of a sentence about what happens regularly or has happened, which is no promise. */
  readonly habits: string;
  /** Requests and offers, which become a promise when the next speaker accepts. */
  readonly requests: string;
  /** The first words of an utterance that accepts. */
  readonly acceptances: string;
  readonly dates: string;
  readonly amounts: string;
}

const english: CommitmentWords = {
  frequent: "the and you that have this what are with it's it is we",
  verbs: `
    send|share|e-?mail|mail|forward|write|draft|prepare|check|confirm|clarify|call|ring|phone|book|schedule|set up
    arrange|organi[sz]e|ask|talk to|speak (?:to|with)|bring|add|update|fix|change|correct|review|test|deliver|ship|sign
    pay|invoice|introduce|get back|come back|follow up|look into|look at|find out|let (?:you|them|him|her|everyone) know
    take care|handle|finish|order|upload|invite|make sure|put|give you|get (?:you|it)|show you|print|collect|pick up
    block|reserve|cover|propose|provide|submit|return|copy you|keep you|remind|include|remove|pass|do`,
  promises: String.raw`
    (?:I|we)(?:'ll| will| shall)(?: \p{L}+ly| also| just| then| still| both)? \p{L}+
    (?:I'm|I am|we're|we are) (?:going to|gonna) {verb}
    (?:I'm|I am|we're|we are) (?:sending|calling|meeting|visiting|shipping|delivering|drafting|booking|writing)
    let me (?:{verb}|see (?:if|what|whether)|have a look|take)
    (?:I|we) can {verb}
    (?:I|we) (?:promise|guarantee|commit to|owe|undertake to)
    you have my word|leave (?:it|that|this) (?:with|to) (?:me|us)|I'm on it|consider it done|will do|count on (?:me|us)
    on my (?:list|plate|desk)|that(?:'s| is| one is|'s one) (?:mine|on me|on us)|I(?:'ll| will)? take (?:that|this|it)
    action (?:items? )?(?:for|on) (?:me|us)|my (?:action|task|job|homework)
    \p{L}+(?:'ll| will| is going to) {verb}
    you(?:'ll| will) (?:have|get|receive|hear|find) (?:it|them|from|the|our|my|an?|your|one|both|everything)
    (?:will|'ll) be (?:ready|done|with you|there|in your|sent|delivered|finished|fixed|shipped|on your)`,
  exceptions: String.raw`
    (?:I|we)(?:'ll| will| shall)(?: \p{L}+ly| also| just| then| still)? (?:see(?! (?:to|if|whether|what))|be(?! (?:in touch|back|sending|there|with|ready))|have(?! (?:it|that|them|the|an?|our|your|my) )|need|know|think|miss|say|admit|remember|believe|wait|lose|find(?! out)|never|not|come to|get to|let you(?! know)|start (?:with|by)|stop|want|like|love|hate|hear|feel|live|spare|probably|tell you (?:what|why|how)|put it)
    you(?:'ll| will) (?:have to|get used)
    (?:I|we) can (?:do|ask|look at|put|add) (?:without|nothing|little)
    (?:if|what|when|whether|how|who|where|which) (?:I|we|you|they)(?:'ll| will) \p{L}+`,
  habits: '',
  requests: `
    (?:can|could|will|would) (?:you|we|someone|your team)(?! (?:hear|see|say|explain|describe|imagine|tell me))
    please|would you mind|send (?:me|us)|I(?:'d| would) like you to|(?:I|we) need you to|(?:shall|should|can) (?:I|we)
    (?:do you )?want me to|make sure|let (?:me|us) know`,
  acceptances: `
    yes|yeah|yep|sure|of course|ok|okay|will do|absolutely|certainly|gladly|happy to|with pleasure|no problem|done|agreed
    deal|right away|noted|consider it|I will|I'll|we will|we'll|you'll|please|please do|fine|good|great|perfect|promise`,
  dates: String.raw`
    (?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|tonight
    (?:next|this|coming|following) (?:week|month|quarter|year|spring|summer|autumn|fall|winter)
    (?:end|middle|beginning|start) of (?:the|this|next) (?:day|week|month|quarter|year)
    (?:january|february|april|june|july|august|september|october|november|december|in march|in may|march \d+|may \d+)
    (?:the )?\d+(?:st|nd|rd|th)|the (?:\p{L}+-)?(?:first|second|third|\p{L}+th) of|in (?:\p{L}+|\d+) (?:days|weeks|months)
    by (?:noon|lunch|the weekend|then)`,
  amounts: String.raw`
    (?:\d[\d.,]*k?|hundred|thousand|million|billion|\p{L}*(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|teen|ty))[ -](?:dollars?|euros?|pounds?|francs?|cents?|won|yen|per ?cent|k)
    (?:thousand|million|billion)`,
};

const german: CommitmentWords = {
  frequent: 'der die das und ist nicht ich sie mit ein eine auf für auch wir dann noch wie',
  verbs: `
    schicken?|schick|senden?|sende|mailen?|schreiben?|schreib|rufen?|ruf|prüfen?|prüf|klären?|klär|kümmern?|kümmere
    bringen?|bring|liefern?|liefere|fragen?|frag|melden?|meld|organisieren?|buchen?|reservieren?|bereiten?|leiten?
    stellen?|geben?|geb|nehmen?|nehm|überarbeiten?|ergänzen?|aktualisieren?|bespreche|erstellen?|besorgen?|holen?|hol
    überweisen?|unterschreiben?|zeigen?|laden?|lade|tragen?|trage|checken?|schauen?|schau|gucken?|guck|bestellen?
    ändern?|ändere|korrigieren?|spreche|rede|teste|baue|setzen?|reichen?|legen?|sorgen?|informieren?|übernehmen?
    verspreche|garantieren?|sagen?|sag|lassen?|lass|mache|mach|notieren?|halten?|halt|drucken?|vereinbaren?|hake|komme`,
  promises: String.raw`
    ich (?:auch |dann |gleich )?{verb}|{verb} ich|{verb} wir
    wir (?:schicken|senden|melden|klären|prüfen|kümmern|liefern|bringen|rufen|bereiten|reservieren|erstellen|übernehmen)
    (?:ich|wir) (?:werden?)|werden? (?:ich|wir)
    (?:ich|wir) (?:kann|können) (?:dir|ihnen|euch|das|es|sie|ihn|den|die|gerne?)
    (?:kann|können) (?:ich|wir) (?:dir|ihnen|euch|machen|schicken|liefern)
    wird (?:erledigt|gemacht)|versprochen|verlassen Sie sich|verlass dich
    lass(?:en Sie)? mich
    \p{L}+ (?:schickt|sendet|mailt|meldet|liefert|bringt|klärt|prüft|kümmert|ruft|gibt|erledigt|übernimmt) (?:ihnen|dir|euch|uns|sich|es|das|sie|ihn|die|den)
    (?:bekommen|erhalten|hören|kriegen|haben) Sie|Sie (?:bekommen|erhalten|hören|kriegen)
    du (?:bekommst|kriegst|hörst)|(?:bekommst|kriegst|hörst|hast) du|ihr (?:bekommt|kriegt)|(?:bekommt|kriegt|habt) ihr
    (?:steht|kommt) auf (?:meiner|meine|unserer) liste|aufgabe für mich`,
  exceptions: String.raw`
    ich (?:sag|sage|halte|halt|lasse|nehme|nehm|setze|stelle|stell|gebe|geb|frage|frag|schau|schaue) (?:mal|mich|ja|ihnen recht|dir recht|zu|nur|ehrlich|an)
    (?:haben|hören|hast|habt|kriegen) (?:Sie|du|ihr) (?:mich|noch|schon|eine|einen|das|recht|fragen|auch|gerade|ja|da)
    werden? (?:ich|wir|es|nicht) (?:nie|sehen|nicht|gefragt)|(?:ich|wir) werden? (?:nie|nicht|sehen|gefragt|immer)
    lassen? (?:wir|ich) (?:uns|mal)
    (?:wenn|dass|ob|was|wie|warum|weil) (?:ich|wir) \p{L}+`,
  habits: 'seit|immer|normalerweise|meistens|bisher|früher|jede[nsrm]?|oft|täglich|manchmal',
  requests: `
    (?:können|könnten|würden|werden|schicken|senden|geben|sagen|bringen|rufen|machen) (?:Sie|wir)
    (?:kannst|könntest|würdest|schickst|machst|gibst|sagst|bringst|rufst) du|(?:könnt|könntet|schickt) ihr|bitte
    (?:schick|gib|sag|ruf|bring|mach) (?:mir|uns|mich|es|das)|soll(?:en)? (?:ich|wir)|darf ich|(?:brauche|brauchen|bräuchte)`,
  acceptances: String.raw`
    ja|gerne?|klar|natürlich|selbstverständlich|mach(?:e|en)? (?:ich|wir)|okay|ok|gut|einverstanden|abgemacht|in ordnung
    wird gemacht|sicher|alles klar|versprochen|notiert|genau|auf jeden fall|das mach\p{L}* (?:ich|wir)|sehr gern
    bekommen sie|bekommst du|bitte|perfekt|super|passt|mit vergnügen|erledige ich`,
  dates: String.raw`
    (?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabend|\p{L}+tag(?:morgen|mittag|nachmittag|abend)
    (?:bis|gleich|ab) morgen|morgen (?:früh|mittag|nachmittag|abend|vormittag|schick\p{L}*|hab\p{L}*)|übermorgen
    (?:nächste[nrsm]?|diese[nrsm]?|kommende[nrsm]?|übernächste[nrsm]?) (?:woche|monat|monats|quartal|jahr|jahres)
    (?:ende|anfang|mitte) (?:der|des|dieser|nächster|nächsten|\p{L}+)|monatsende|jahresende|quartalsende|wochenende
    januar|februar|märz|april|juni|juli|august|september|oktober|november|dezember|(?:im|ende|anfang|mitte) mai
    (?:am|bis|zum|vom) \p{L}+(?:ten|sten)|\d+\. (?:\p{L}+)|in (?:\p{L}+|\d+) (?:tagen|wochen|monaten)|heute noch`,
  amounts: String.raw`
    (?:\d[\d.,]*|\p{L}*(?:hundert|tausend|zig|zehn|elf|zwölf|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)|millionen?) (?:euro|dollar|pfund|franken|cent|prozent|won|yen)
    \p{L}*tausend\p{L}*|millionen?|milliarden?`,
};

const french: CommitmentWords = {
  frequent: "le les et est je vous nous pas une des pour dans c'est du on au il avec ça",
  verbs: `
    envoi?e|envoyons|fais|faisons|transmets|transmettons|prépare|préparons|rappelle|rappelons|recontacte|confirme
    confirmons|vérifie|vérifions|regarde|regardons|demande|demandons|montre|mets|mettons|donne|donnons|reviens|revenons
    tiens|tenons|apporte|apportons|appelle|appelons|écris|écrivons|présente|partage|partageons|note|notons|garde|gardons
    rédige|rédigeons|relance|relançons|réserve|réservons|organise|organisons|planifie|commande|commandons|corrige
    corrigeons|ajoute|ajoutons|bloque|bloquons|occupe|occupons|charge|chargeons|engage|engageons|promets|promettons
    livre|livrons|signe|signons|passe|passons|renvoie|renvoyons|adresse|adressons|propose|proposons|modifie|prends
    prenons|imprime|complète|cherche|facture|viens|invite|teste|laisse`,
  promises: String.raw`
    (?:je |j'|nous |on )(?:(?:vous|te|le|la|les|lui|leur|me|nous|y|en) |[tlm]'|m'en |m'y |nous en )*(?:{verb})
    (?:je |j')(?:(?:vous|te|le|la|les|lui|leur|me|y|en) |[tlm]'|m'en |m'y )*\p{L}+rai
    nous (?:(?:vous|te|le|la|les|lui|leur|nous|y|en) |[tl]'|nous en )*\p{L}+rons
    on (?:(?:vous|te|le|la|les|lui|leur|y|en|se) |[tls]'|s'en )*\p{L}+ra
    (?:je vais|nous allons|on va)(?: (?:vous|te|le|la|les|lui|leur|me|nous|y|en))* ?(?:[tlm]'|m'en )?\p{L}+(?:er|ir|re)
    (?:vous|te|t'|lui|leur) ?(?:l'|le |la |les )?\p{L}+(?:era|dra|ront)|(?:va|vont) (?:vous|te|lui|leur|s'en|t') ?\p{L}+er
    vous (?:aurez|recevrez|l'aurez|les aurez)|tu (?:auras|recevras|l'auras|les auras)
    c'est (?:noté|promis|comme si)|compte[zr]? sur|sans faute|laisse[zs]?-moi|je peux (?:vous|te|t') ?\p{L}+er
    (?:sera|seront) (?:prête?s?|faite?s?|envoyée?s?|livrée?s?|chez vous|corrigée?s?|dans votre)|à moi de`,
  exceptions: String.raw`
    (?:aurai|aurons|aura)(?! (?:le|la|les|ça|votre|vos|tout|un|une) )|serai(?! (?:là|présente?|de retour))
    (?:devrai|pourrai|saurai|verrai|dirai|voudrai|serons|devrons|pourrons|saurons|verrons|dirons|voudrons|verra|dira|devra|pourra|saura|sera là|faudra|vrai)
    (?:vais|allons|va) (?:être|avoir|voir|dire|devoir|pouvoir|falloir|croire|perdre|vous dire|te dire)
    (?:je|on|nous) (?:tiens à|fais partie|fais confiance|propose qu\p{L}*|passe à|me demande|garde en|prends l'exemple|parle)
    (?:si|que|quand|comment|pourquoi|ce que|qu') ?(?:je|on|nous) [\p{L}']+`,
  habits: "depuis|toujours|d'habitude|souvent|chaque|tous les|normalement|parfois",
  requests: String.raw`
    (?:pouvez|pourriez|voulez|voudriez)[- ]vous|vous (?:pouvez|pourriez|voulez)|(?:peux|pourrais|veux)[- ]tu
    tu (?:peux|pourrais|veux|nous|m'\p{L}+)|envoyez|envoie-\p{L}+|merci de|il (?:me|nous|te|vous) (?:faut|faudrait)|il faudrait
    s'il (?:vous|te) plaît|dites-moi|dis-moi|(?:voulez|veux)[- ](?:vous|tu) que je|vous (?:m'|me |nous )\p{L}+ez|je (?:vous|te|t') ?\p{L}+e`,
  acceptances: `
    oui|d'accord|bien sûr|entendu|ok|okay|volontiers|avec plaisir|c'est noté|noté|parfait|sans problème|pas de problème
    certainement|absolument|promis|ça marche|je m'en (?:occupe|charge)|tout à fait|très bien|évidemment|c'est (?:fait|promis)
    sans faute|vous l'aurez|je (?:le|la|les|vous|te)|s'il vous plaît|bien entendu|marché conclu|ça roule`,
  dates: String.raw`
    lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|après-demain|ce soir
    (?:semaine|mois|année|trimestre|an) (?:prochaine?|suivante?|d'après)|(?:cette|la) semaine|ce mois-ci
    (?:fin|début|milieu) (?:de|du|d') ?(?:la|l'|\p{L}+)|fin \p{L}+|mi-\p{L}+
    janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|en mai|(?:le|\d+) mai
    le (?:\d+|premier)|dans (?:\p{L}+|\d+) (?:jours|semaines|mois)|d'ici`,
  amounts: String.raw`
    (?:\d[\d.,\s]*|cents?|mille|millions? d'|milliards? d'|vingt|trente|quarante|cinquante|soixante|dix|quinze|douze|deux|trois|quatre|cinq|six|sept|huit|neuf) ?(?:euros?|dollars?|livres|francs?|centimes|pour ?cent|won|yens?)
    mille|millions?|milliards?`,
};

const spanish: CommitmentWords = {
  frequent: 'el los las que y es en no un una para con por lo está pero muy del al',
  verbs: `
    mando|mandamos|envío|enviamos|paso|pasamos|preparo|preparamos|confirmo|confirmamos|aviso|avisamos|llamo|llamamos
    escribo|escribimos|reenvío|comparto|enseño|muestro|doy|damos|hago|hacemos|traigo|traemos|llevo|llevamos|presento
    encargo|encargamos|ocupo|ocupamos|comprometo|apunto|anoto|reviso|revisamos|miro|miramos|consulto|pregunto|compruebo
    hablo|reservo|reservamos|pido|pedimos|convoco|agendo|quedo|prometo|prometemos|garantizo|arreglo|cambio|corrijo|añado
    agrego|firmo|pago|busco|verifico|averiguo|coordino|organizo|actualizo|entrego|entregamos|dejo|dejamos|pongo|cuento`,
  promises: String.raw`
    (?:yo )?(?:te|le|les|os|se|me|nos|lo|la|los|las)(?: (?:lo|la|los|las))? {verb}
    (?:^|[,;:.] ?|y |yo |nosotros |entonces |mañana |hoy |pues )(?:{verb}) (?:el|la|los|las|un|una|con|a|yo|y|esta|este|eso|al|mañana|en)
    \p{L}+(?:aré|eré|iré|dré|bré)|iré
    \p{L}+(?:aremos|eremos|iremos|dremos)
    (?:voy|vamos) a \p{L}+(?:ar|er|ir)\p{L}*
    va(?:n)? a (?:mandar|enviar|pasar|llamar|preparar|confirmar|revisar|escribir|llevar|hacer|traer)\p{L}*
    puedo (?:mandar|enviar|pasar|preparar|llamar|hacer|enseñar|reservar|mostrar|revisar|preguntar|traer)\p{L}*
    (?:tendrás?|tendrán|tendréis|recibirás?|recibirán|recibiréis) (?:el|la|los|las|un|una|todo|noticias|en)
    (?:lo|la|los|las) (?:tienes|tiene|tendrás?|tendrán|tendréis|tenéis)
    quedo en|queda (?:apuntado|anotado|pendiente)|apuntado|cuent[ae]n? con|prometido|dé?jame(?:lo)?|déje(?:n)?me(?:lo)?|dalo por hecho
    de eso me encargo|corre de mi cuenta|es cosa mía|(?:estará|estarán|quedará) (?:list[oa]s?|hech[oa]s?|enviad[oa]s?)`,
  exceptions: String.raw`
    (?:seré|estaré|tendré que|veré|podré|diré|sabré|habré|creeré|seremos|estaremos|veremos|podremos|sabremos|habremos|tendremos que|querré|diremos|queremos|creemos)
    (?:prepar|compar|separ|repar|par|declar|esper|oper|super|gener|recuper|mir|tir|retir|compr|entr|logr|mostr|cobr|encontr|registr)é
    (?:voy|vamos) a (?:ser|estar|ver|tener|decir\p{L}*|poder|haber|perder|necesitar|suponer)
    (?:me|te|le|se|lo) (?:doy cuenta|miro como|hago cargo|paso igual|cuento|dejo claro|quedo con)
    (?:si|cuando|cómo|qué|dónde|porque|como) (?:te|le|les|lo|la|me)? ?\p{L}+o`,
  habits: 'siempre|normalmente|cada|desde hace|a veces|todos los|todas las|antes',
  requests: `
    (?:puedes?|pueden|podéis|podrías?|podrían|podríais|podemos)|por favor
    (?:mánda|envía|pása|di|haz|llama|avísa)(?:me|nos|melo|noslo)|(?:mánde|envíe|páse|díga|avíse)(?:me|nos)
    (?:me|nos|lo|la) (?:mandas?|envías?|pasas?|confirmas?|avisas?|llamas?|haces?)|necesit(?:o|amos)|quiero que|hace falta
    quieres? que|(?:te|le|les|os) parece`,
  acceptances: `
    sí|claro|vale|de acuerdo|por supuesto|perfecto|sin (?:problema|falta)|hecho|ok|okay|cómo no|con (?:mucho )?gusto
    encantad[oa]|desde luego|eso está hecho|trato hecho|bien|muy bien|apuntad[oa]|prometido|no hay problema|lo haré|lo hago
    cuent[ae] con|bueno|listo|exacto|anotado|me encargo|te lo|se lo|te la|se la`,
  dates: String.raw`
    lunes|martes|miércoles|jueves|viernes|sábado|domingo|pasado mañana
    (?:hasta|para|desde) mañana|mañana (?:por|mismo|a|te|le|en|lo|la|hablo|temprano)|^mañana
    (?:semana|mes|año|trimestre) (?:que viene|próxim[oa]|siguiente)|próxim[oa]s? \p{L}+|esta semana|este mes
    (?:final|finales|fin|principios|mediados|comienzos) de(?:l)? ?(?:\p{L}+)
    enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre
    (?:el|día) (?:\d+|uno|dos|tres|cinco|diez|quince|veinte|treinta)|(?:en|dentro de) (?:\p{L}+|\d+) (?:días|semanas|meses)`,
  amounts: String.raw`
    (?:\d[\d.,]*|cien|cient\p{L}*|\p{L}+cient[oa]s|mil|millón de|millones de|veinte|\p{L}+enta|diez|quince|doce|once|dos|tres|cuatro|cinco|seis|siete|ocho|nueve) (?:euros?|dólares|libras|pesos|céntimos|por ciento|wones|yenes)
    mil|millón|millones`,
};

const portuguese: CommitmentWords = {
  frequent: 'o os que de e é em não um uma para com por eu você está isso do da ao mas são muito',
  verbs: `
    mando|mandamos|envio|enviamos|confirmo|confirmamos|aviso|avisamos|falo|falamos|verifico|verificamos|peço|pedimos
    faço|fazemos|preparo|preparamos|ligo|ligamos|marco|marcamos|agendo|agendamos|trago|trazemos|trato|tratamos|cuido
    cuidamos|encarrego|comprometo|passo|passamos|mostro|escrevo|escrevemos|pergunto|retorno|reservo|reservamos|combino
    deixo|deixamos|anoto|levo|levamos|prometo|garanto|arranjo|mudo|corrijo|assino|pago|procuro|vejo|reviso|organizo
    atualizo|entrego|entregamos|ponho|coloco|acrescento|incluo|apresento|dou|damos|digo|partilho|compartilho|telefono`,
  promises: String.raw`
    (?:eu |a gente )?(?:te|lhe|lhes|vos|me|já|o|a|isso|também) {verb}
    eu (?:já |também |mesm[oa] )?{verb}
    (?:^|[,;:.] ?|e |então |amanhã |hoje |pois )(?:{verb})(?:-(?:te|lhe|lhes|vos|o|a|os|as|me|lho|nos)| (?:o|a|os|as|um|uma|com|para|isso|hoje|amanhã|tudo|ainda|na|no))
    {verb}-(?:te|lhe|lhes|vos|o|a|os|as|lho|me)
    \p{L}+(?:arei|erei|irei)|irei|farei|trarei|\p{L}+-(?:lhe|te|vos|lo|la)-(?:ei|emos)
    \p{L}+(?:aremos|eremos|iremos)|faremos
    (?:vou|vamos)(?: (?:te|lhe|lhes|vos|já|lá|também|logo))? \p{L}+(?:ar|er|ir|or)
    (?:vai|vão) (?:te |lhe |lhes |vos )?(?:mandar|enviar|ligar|preparar|confirmar|falar|escrever|entregar|fazer|trazer)
    a gente (?:manda|envia|faz|liga|confirma|prepara|marca|avisa|entrega|passa|resolve)
    posso (?:te |lhe |já )?(?:mandar|enviar|passar|preparar|ligar|fazer|mostrar|reservar|marcar|perguntar|trazer)
    (?:vai|vão) (?:receber|ter)|(?:recebe|receberá|recebem|terá|terão) (?:o|a|os|as|um|uma|isso|tudo)
    (?:pode|podem) deixar|(?:deixa|deixe) (?:comigo|connosco|eu)|fica comigo|(?:conte|conta|contem) (?:comigo|connosco|conosco)
    combinado|anotado|fica (?:anotado|prometido|registado|registrado)|(?:estará|estarão|fica|ficará) (?:pront[oa]s?|feit[oa]s?)|é comigo`,
  exceptions: String.raw`
    (?:serei|estarei|terei que|terei de|verei|poderei|direi|saberei|seremos|estaremos|veremos|poderemos|saberemos|teremos que|teremos de|queremos)
    (?:prepar|compar|separ|repar|par|esper|tir|retir|compr|entr|mostr|encontr|mir|oper|super|recuper)ei
    (?:vou|vamos) (?:ser|estar|ver|ter|dizer|poder|precisar|perder|lá|embora|supor)
    (?:me|te|lhe|eu|já) (?:dou conta|vejo (?:como|que|isso)|digo (?:que|isso)|falo de|passo por)
    (?:se|quando|como|porque|que|onde) (?:eu |te |lhe |me )?\p{L}+o`,
  habits: String.raw`sempre|normalmente|cada|todos os|todas as|às vezes|desde que|costum\p{L}+|há anos`,
  requests: `
    (?:pode|poderia|podia|podes|podem|podias|consegue|consegues|conseguem|podemos|dá para)|por favor
    (?:me|nos) (?:manda|envia|passa|liga|avisa|confirma)|(?:manda|envia|mande|envie|avisa|avise|diga|liga)-(?:me|nos)
    (?:preciso|precisamos|precisava)|quero que|(?:quer|queres|querem) que`,
  acceptances: `
    sim|claro|com certeza|pode deixar|combinado|tá bom|tá|está bem|ok|okay|perfeito|certo|sem (?:problema|falta)|feito
    com (?:todo o )?(?:prazer|gosto)|beleza|de acordo|fechado|pode ser|(?:eu )?(?:mando|envio|faço)|deixa comigo|anotado
    prometo|prometido|boa|bom|muito bem|ótimo|com muito gosto|pode contar|recebe|vai`,
  dates: String.raw`
    (?:segunda|terça|quarta|quinta|sexta)(?:-feira)|(?:na|até|à|para|de|próxima|nesta|esta) (?:segunda|terça|quarta|quinta|sexta)
    sábado|domingo|amanhã
    (?:semana|mês|ano|trimestre) (?:que vem|próxim[oa]|seguinte)|próxim[oa]s? \p{L}+|(?:esta|nesta|essa) semana|(?:este|neste) mês
    (?:final|fim|fins|início|meados|começo) (?:de|do|da|deste|desta) ?\p{L}+
    janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro
    dia (?:\d+|\p{L}+)|(?:em|daqui a|dentro de) (?:\p{L}+|\d+) (?:dias|semanas|meses)`,
  amounts: String.raw`
    (?:\d[\d.,]*|cem|cento|\p{L}+centos|mil|milhão de|milhões de|vinte|\p{L}+[ei]nta|dez|quinze|doze|onze|dois|três|quatro|cinco|seis|sete|oito|nove) (?:euros?|dólares|libras|reais|cêntimos|centavos|por cento|wons|ienes)
    mil|milhão|milhões`,
};

const korean: CommitmentWords = {
  frequent: '',
  verbs: `
    보내|전달|공유|확인|준비|연락|전화|작성|정리|검토|수정|예약|알려|알아|물어|문의|추가|제출|처리|발송|회신|답변|답장|안내|챙기|챙겨
    가져|맞추|맞춰|만들|고치|고쳐|올려|올리|말씀|요청|진행|반영|업데이트|잡아|잡|써|쓰|찾아|갖다|드리|드려`,
  promises: `
    [가-힣](?<![이그저에한떻것])게요(?![가-힣])|[할릴낼볼갈올줄둘쓸울칠길뵐킬들을]게(?=[.!, ]|$)
    겠습니다|겠어요(?=[.!, ]|$)|기로 (?:하죠|할게|하겠|약속)
    (?:{verb})[가-힣 ]{0,6}(?:ㄹ|할|릴|낼|볼|길|갈|올|을|들|칠|줄|둘|출) (?:거예요|겁니다|거고|거니까|예정|계획|생각)
    (?:{verb})[가-힣 ]{0,5}드릴 수 있
    (?:{verb})[가-힣]? ?드립니다|약속(?:드|합|할|하)|맡겨 ?주|제가 (?:하죠|맡죠|맡을|책임)|책임지고`,
  exceptions: `
    (?:알|모르|좋|되|있|없|싶|힘들|맞|그렇|감사하|시작하|마치|말씀드리|설명드리|소개하|소개드리|부탁드리|여쭤보|어렵|쉽|많|같|낫|괜찮)겠(?:습니다|어요)
    (?:먼저|그럼|우선) (?:말씀드릴|설명드릴|시작할)게요|시작할게요|말씀드릴게요|[가-힣]+시겠습니다`,
  habits: '',
  requests: `
    주세요|주십시오|주시겠|주실|주시면|줄래|부탁|할까요|드릴까요|볼까요|잡을까요|낼까요|될까요|가능할까요|가능하실까요|줘요?(?=[.?]|$)|(?:필요|했으면)`,
  acceptances: `
    네|예|넵|알겠|그럼요|물론|좋습니다|좋아요|그럴게|그렇게|그러죠|그래요|응|오케이|당연|그러겠|바로|문제없`,
  dates: String.raw`
    \d+월|\d+일|[월화수목금토일]요일|내일|모레|(?:다음|이번|다다음) ?(?:주|달|분기|해)|[주월연]말|분기|내년|오늘 (?:중|안|저녁|오후)
    (?:일|이|삼|사|오|유|칠|팔|구|시|십|십일|십이)월|(?:며칠|\d+주|한 달|일주일|이 주) (?:뒤|후|안|내)`,
  amounts: String.raw`
    [\d일이삼사오육칠팔구십백천만억][\d,. 십백천만억]*(?:원|달러|유로|파운드|엔|퍼센트|프로)(?![가-힣]{3})|[\d백천]+ ?[만억]`,
};

const japanese: CommitmentWords = {
  frequent: '',
  verbs: `
    送り|お送りし|送付し|連絡し|ご連絡し|確認し|ご確認し|共有し|お持ちし|お届けし|お伝えし|伝え|手配し|調べ|準備し|用意し|ご用意し|作り|作成し
    お返事し|返事し|回答し|提出し|修正し|対応し|直し|出し|入れ|書き|やり|伺い|参り|まいり|お見せし|聞いてみ|見てみ|試してみ|検討し|お知らせし
    お電話し|電話し|予約し|まとめ|持って(?:い|行)き|持ってき|追加し|案内し|ご案内し|紹介し|ご紹介し|メールし|相談し|押さえ|届け|変更し|約束し|お約束し|引き受け`,
  promises: `
    [てで]おきます|[てで]おく(?:ね|よ|から|。)|させていただきます|させてもらいます|(?:{verb})(?:ます|とく)(?!か)
    (?<!お願い|失礼|感謝|お待ち)いたします|差し上げます|(?:送|連絡|確認|準備|共有|用意|調べ|対応|提出|作|出).{0,4}(?:予定です|つもりです)
    (?:送|出|作|書|や|聞|調べ|確認し|連絡し|お送りし|ご連絡し)(?:ろう|そう|ろう|こう|よう)と思い|お任せください|任せてください
    (?:て|で)みます(?!か)|しますね|私がやり|お約束`,
  exceptions: `
    お願い(?:いた)?します|失礼(?:いた)?します|と?申します|始めさせていただきます|ご説明(?:いた)?します|と(?:思い|考え)いたします|ます(?:と|なら|時|とき|前)`,
  habits: '毎[日週月回年朝]|いつも|普段|通常|たいてい|ふだん',
  requests: `
    [てで](?:いただけ|いただき|くださ|下さ|もらえ|もらい|ほし|くれ)|お願い|[おご][^、。]{1,8}(?:ください|いただけ)|ましょうか|でしょうか|いいですか`,
  acceptances: `
    はい|承知|かしこまり|了解|わかりました|分かりました|もちろん|いいですよ|ええ|やります|大丈夫|喜んで|そうします|そうしましょう|できます|可能です|ぜひ|お願いします|すぐ`,
  dates: String.raw`
    [\d一二三四五六七八九十]+月|[\d二三四五六七八九十]+日|[月火水木金土日]曜|明日|あさって|明後日|翌[日週月]|(?:さ|再)?来[週月年]|再来週|今[週月]|[月年期週]末|週明け|年度末|今日中|本日中|四半期`,
  amounts: String.raw`
    [\d一二三四五六七八九十百千万億][\d,.一二三四五六七八九十百千万億]* ?(?:円|ドル|ユーロ|ポンド|ウォン|パーセント|％|%|割)|[\d一二三四五六七八九十百千]+[万億]`,
};

/** Dates and amounts that mean the same in every language. */
export const writtenDates = String.raw`\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}\.\d{1,2}\.(?= )`;
export const writtenAmounts = String.raw`[€$£¥₩]\s?\d[\d.,]*|\d[\d.,]*\s?[€$£¥₩%]|\d[\d.,]*\s?(?:EUR|USD|GBP|CHF|JPY|KRW)|(?:EUR|USD|GBP|CHF|JPY|KRW)\s?\d[\d.,]*`;

export const commitmentWords = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  ko: korean,
  ja: japanese,
};
export type SpokenLanguage = keyof typeof commitmentWords;
