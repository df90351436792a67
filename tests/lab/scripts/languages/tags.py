"""Which tags mean one language: what `udhr.py` and `score.py` share.

A page is named rightly if the answer and the gold tag are one language here: both are brought to a code of ISO 639-1 where there
is one, and an answer that is the macrolanguage of the gold counts too, unless the site has another member of it.

Norwegian `no` is Bokmål (`nb`), as sites use it, and not Nynorsk; Chinese `zh` is either script, unless the site has both; Twi is `tw`
and Fante `fat`, beside the macrolanguage `ak`; Indonesian is not Malay, though ISO 639-3 has it among the members of `msa`.
"""

# Other codes of a language: ISO 639-2 and 639-3, retired ones, and the one member of a macrolanguage that its short code means in practice.
ALIASES = dict(pair.split('=') for pair in """
    aar=aa abk=ab afr=af amh=am arb=ar ara=ar asm=as ava=av ayr=ay aym=ay azj=az aze=az bak=ba bam=bm bel=be ben=bn bis=bi bod=bo tib=bo
    bos=bs bre=br bul=bg cat=ca ces=cs cze=cs cha=ch che=ce chv=cv cmn=zh zho=zh chi=zh cor=kw cos=co cym=cy wel=cy dan=da deu=de ger=de
    div=dv dzo=dz ekk=et est=et ell=el gre=el eng=en epo=eo eus=eu baq=eu ewe=ee fao=fo fas=fa pes=fa per=fa fij=fj fil=tl fin=fi fra=fr
    fre=fr fry=fy gaz=om orm=om gla=gd gle=ga glg=gl glv=gv gug=gn grn=gn guj=gu hat=ht hau=ha heb=he iw=he hin=hi hrv=hr hun=hu hye=hy
    arm=hy ibo=ig ido=io iii=ii ike=iu iku=iu ina=ia ind=id in=id isl=is ice=is ita=it jav=jv jw=jv jpn=ja kal=kl kan=kn kas=ks kat=ka
    geo=ka kau=kr knc=kr kaz=kk khk=mn mon=mn khm=km kin=rw kir=ky kmr=ku kur=ku kng=kg kon=kg kor=ko lao=lo lat=la lav=lv lvs=lv lin=ln
    lit=lt ltz=lb lug=lg mah=mh mal=ml mar=mr mkd=mk mac=mk mlg=mg plt=mg mlt=mt mri=mi mao=mi msa=ms may=ms zlm=ms zsm=ms mya=my bur=my
    nav=nv nbl=nr ndo=ng nep=ne npi=ne nld=nl dut=nl nno=nn no=nb nob=nb nor=nb nya=ny oci=oc ori=or ory=or oss=os pan=pa pbu=ps pbt=ps
    pus=ps pol=pl por=pt que=qu roh=rm ron=ro rum=ro mo=ro run=rn rus=ru sag=sg san=sa sin=si slk=sk slo=sk slv=sl sme=se smo=sm sna=sn
    som=so sot=st spa=es sqi=sq alb=sq als=sq src=sc srd=sc srp=sr ssw=ss sun=su swa=sw swh=sw swe=sv tah=ty tam=ta tat=tt tel=te tgk=tg
    tgl=tl tha=th tir=ti ton=to tsn=tn tso=ts tuk=tk tur=tr twi=tw uig=ug ukr=uk urd=ur uzb=uz uzn=uz ven=ve vie=vi vol=vo wln=wa wol=wo
    xho=xh ydd=yi yid=yi ji=yi yor=yo zha=za zyb=za zul=zu
""".split())

# Members → the macrolanguage (ISO 639-3), for the codes that the Declaration has. `sh`, `hmn` and `man` are groups that only some name.
MACRO = {
    **dict.fromkeys('tw fat'.split(), 'ak'),
    **dict.fromkeys('bs hr sr cnr'.split(), 'sh'),
    **dict.fromkeys('quz quy qul quh qva qvc qvh qvm qvn qwh qxa qxn qxu qug'.split(), 'qu'),
    **dict.fromkeys('prs'.split(), 'fa'),
    **dict.fromkeys('azb'.split(), 'az'),
    **dict.fromkeys('ckb'.split(), 'ku'),
    **dict.fromkeys('abs bjn min pmy'.split(), 'ms'),
    **dict.fromkeys('yue wuu hak gan hsn nan cjy zh-Hans zh-Hant'.split(), 'zh'),
    **dict.fromkeys('bcl'.split(), 'bik'),
    **dict.fromkeys('emk'.split(), 'man'),
    **dict.fromkeys('pnb skr'.split(), 'lah'),
    **dict.fromkeys('hea hms hnj'.split(), 'hmn'),
    **dict.fromkeys('fuf fuv'.split(), 'ff'),
    **dict.fromkeys('orc'.split(), 'om'),
    **dict.fromkeys('ojb'.split(), 'oj'),
    **dict.fromkeys('csw'.split(), 'cr'),
    **dict.fromkeys('koi'.split(), 'kv'),
    **dict.fromkeys('ddn dje'.split(), 'son'),
    **dict.fromkeys('rmn rmy'.split(), 'rom'),
    **dict.fromkeys('swb zdj'.split(), 'sw'),
    'aii': 'syr', 'dip': 'din', 'dik': 'din',
}
# Those that are no language of their own in practice: any member is right where gold says no more.
ONLY_MACRO = {'rom', 'syr', 'din'}


def one(tag):
    """A tag as it is compared: `pt-BR` is `pt`, `srp-Latn` is `sr`; Chinese keeps its script."""
    first, *rest = tag.replace('_', '-').split('-')
    code = ALIASES.get(first.lower(), first.lower())
    if code == 'zh':
        rest = {part.lower() for part in rest}
        if rest & {'hans', 'cn', 'sg'}:
            return 'zh-Hans'
        if rest & {'hant', 'tw', 'hk', 'mo'}:
            return 'zh-Hant'
    return code


def agree(answer, gold, of_site=()):
    """Whether an answer names the language `gold` on a site that has the languages `of_site`."""
    script = [part for part in gold.split('-')[1:] if len(part) == 4]
    if script and one(gold) == gold.split('-')[0]:
        # Gold has the script where the site has the language in two.
        return one(answer) == one(gold) and script == [part for part in answer.split('-')[1:] if len(part) == 4]
    answer, gold = one(answer), one(gold)
    if answer == gold:
        return True
    group = MACRO.get(gold)
    has_another = any(MACRO.get(other) == group for other in map(one, of_site) if other != gold)
    if group == 'zh' and not gold.startswith('zh'):
        # Written Yue, Wu …: pages are told to be Chinese by their script only.
        return answer.startswith('zh') and not has_another
    return not has_another and (group == answer or gold in ONLY_MACRO and MACRO.get(answer) == gold)
