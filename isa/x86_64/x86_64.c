#include "isa/isa.h"
#include "isa/numbers.h"
#include "isa/text_rules.h"

#include <llvm-c/Target.h>

#include <ctype.h>
#include <elf.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The x86-64 instructions allowed in a recipe's own text: those with known implicit reads and writes and
 * known processor support. */

enum opcode_trait {
    OPCODE_SCALAR = 1,  /* EVEX: never needs avx512vl */
    OPCODE_ADDRESS = 2, /* its memory operand is only an address */
    OPCODE_BITS = 4,    /* with memory, a register operand selects a bit anywhere in memory */
    OPCODE_LOADS = 8,   /* the row is for the form with memory */
    OPCODE_XOP = 16,
    OPCODE_WHOLE = 32 /* refused with {1to8}: LLVM 19 encodes its one-byte displacement wrongly */
};

/* The encoding's prefix. */
enum opcode_coding { CODING_PLAIN, CODING_VEX, CODING_XOP, CODING_EVEX };

struct opcode_row {
    const char *operands;  /* allowed operand counts, one digit each */
    const char *registers; /* implicit registers, separated by blanks; or NULL */
    const char *feature;   /* required feature; NULL: none */
    const char *wide;      /* required feature in 256-bit VEX; NULL: the same */
    const char *evex;      /* required feature in EVEX; NULL: no EVEX form */
    unsigned traits;
    const char *names; /* in LLVM's Intel syntax, separated by blanks */
};

/* From the Intel SDM, volume 2, and the AMD APM, volume 3; checked against the tables of LLVM 19 (operands,
 * implicit registers, available encodings) when written, and by the tests against the behaviour of
 * processors. */
static const struct opcode_row rows[] = {
    /* general registers */
    {"2", NULL, NULL, NULL, NULL, 0,
     "adc add and cmp mov movabs movsx movsxd movzx or sbb sub test xadd xchg xor bsf bsr cmovo cmovno "
     "cmovb cmovae cmove cmovne cmovbe cmova cmovs cmovns cmovp cmovnp cmovl cmovge cmovle cmovg"},
    {"1", NULL, NULL, NULL, NULL, 0,
     "seto setno setb setae sete setne setbe seta sets setns setp setnp setl setge setle setg bswap "
     "dec inc neg not"},
    {"12", NULL, NULL, NULL, NULL, 0, "rcl rcr rol ror sar shl shr"},
    {"3", NULL, NULL, NULL, NULL, 0, "shld shrd imul"},
    {"2", NULL, NULL, NULL, NULL, 0, "imul"},
    {"1", "rax rdx", NULL, NULL, NULL, 0, "div idiv imul mul"},
    {"0", "rax", NULL, NULL, NULL, 0, "cbw cdqe cwde lahf sahf"},
    {"0", "rax rdx", NULL, NULL, NULL, 0, "cdq cqo cwd rdtsc"},
    {"0", "rax rcx rdx", NULL, NULL, NULL, 0, "rdtscp xgetbv"},
    {"0", "rax rbx rcx rdx", NULL, NULL, NULL, 0, "cpuid"},
    {"2", "rax", NULL, NULL, NULL, 0, "cmpxchg"},
    {"1", "rax rbx rcx rdx", NULL, NULL, NULL, 0, "cmpxchg16b cmpxchg8b"},
    {"2", NULL, NULL, NULL, NULL, OPCODE_BITS, "bt btc btr bts"},
    {"2", NULL, NULL, NULL, NULL, OPCODE_ADDRESS, "lea"},
    {"01", NULL, NULL, NULL, NULL, OPCODE_ADDRESS, "nop"},
    {"0", NULL, NULL, NULL, NULL, 0, "clc cmc stc lfence mfence pause sfence endbr32 endbr64"},
    {"1", NULL, NULL, NULL, NULL, 0,
     "clflush prefetch prefetchnta prefetcht0 prefetcht1 prefetcht2 prefetchw stmxcsr"},
    {"1", NULL, "clflushopt", NULL, NULL, 0, "clflushopt"},
    {"1", NULL, "clwb", NULL, NULL, 0, "clwb"},
    {"1", NULL, "rdrand", NULL, NULL, 0, "rdrand"},
    {"1", NULL, "rdseed", NULL, NULL, 0, "rdseed"},
    {"2", NULL, "adx", NULL, NULL, 0, "adcx adox"},
    {"2", NULL, "movbe", NULL, NULL, 0, "movbe"},
    {"2", NULL, "abm", NULL, NULL, 0, "lzcnt"},
    {"2", NULL, "popcnt", NULL, NULL, 0, "popcnt"},
    {"2", NULL, "sse4_2", NULL, NULL, 0, "crc32"},
    {"3", NULL, "bmi1", NULL, NULL, 0, "andn bextr"},
    {"2", NULL, "bmi1", NULL, NULL, 0, "blsi blsmsk blsr tzcnt"},
    {"3", NULL, "bmi2", NULL, NULL, 0, "bzhi pdep pext rorx sarx shlx shrx"},
    {"3", "rdx", "bmi2", NULL, NULL, 0, "mulx"},

    /* SSE and SSE2, which all processors have */
    {"2", NULL, NULL, NULL, NULL, 0,
     "addpd addps addsd addss andnpd andnps andpd andps cmpeqpd cmpeqps cmpeqsd cmpeqss cmplepd "
     "cmpleps cmplesd cmpless cmpltpd cmpltps cmpltsd cmpltss cmpneqpd cmpneqps cmpneqsd cmpneqss "
     "cmpnlepd cmpnleps cmpnlesd cmpnless cmpnltpd cmpnltps cmpnltsd cmpnltss cmpordpd cmpordps "
     "cmpordsd cmpordss cmpunordpd cmpunordps cmpunordsd cmpunordss comisd comiss cvtdq2pd cvtdq2ps "
     "cvtpd2dq cvtpd2ps cvtps2dq cvtps2pd cvtsd2si cvtsd2ss cvtsi2sd cvtsi2ss cvtss2sd cvtss2si "
     "cvttpd2dq cvttps2dq cvttsd2si cvttss2si divpd divps divsd divss maxpd maxps maxsd maxss minpd "
     "minps minsd minss movapd movaps movd movdqa movdqu movhlps movhpd movhps movlhps movlpd movlps "
     "movmskpd movmskps movntdq movnti movntpd movntps movq movsd movss movupd movups mulpd mulps "
     "mulsd mulss orpd orps packssdw packsswb packuswb paddb paddd paddq paddsb paddsw paddusb paddusw "
     "paddw pand pandn pavgb pavgw pcmpeqb pcmpeqd pcmpeqw pcmpgtb pcmpgtd pcmpgtw pmaddwd pmaxsw "
     "pmaxub pminsw pminub pmovmskb pmulhuw pmulhw pmullw pmuludq por psadbw pslld pslldq psllq psllw "
     "psrad psraw psrld psrldq psrlq psrlw psubb psubd psubq psubsb psubsw psubusb psubusw psubw "
     "punpckhbw punpckhdq punpckhqdq punpckhwd punpcklbw punpckldq punpcklqdq punpcklwd pxor rcpps "
     "rcpss rsqrtps rsqrtss sqrtpd sqrtps sqrtsd sqrtss subpd subps subsd subss ucomisd ucomiss "
     "unpckhpd unpckhps unpcklpd unpcklps xorpd xorps"},
    {"3", NULL, "sse4_1", NULL, NULL, OPCODE_LOADS, "pextrw"},
    {"3", NULL, NULL, NULL, NULL, 0,
     "pextrw pinsrw pshufd pshufhw pshuflw shufpd shufps cmppd cmpps cmpsd cmpss"},
    {"2", NULL, "sse3", NULL, NULL, 0,
     "addsubpd addsubps haddpd haddps hsubpd hsubps lddqu movddup movshdup movsldup"},
    {"2", NULL, "ssse3", NULL, NULL, 0,
     "pabsb pabsd pabsw phaddd phaddsw phaddw phsubd phsubsw phsubw pmaddubsw pmulhrsw pshufb psignb "
     "psignd psignw"},
    {"3", NULL, "ssse3", NULL, NULL, 0, "palignr"},
    {"3", NULL, "sse4_1", NULL, NULL, 0,
     "blendpd blendps dppd dpps extractps insertps mpsadbw pblendw pextrb pextrd pextrq pinsrb pinsrd "
     "pinsrq roundpd roundps roundsd roundss"},
    {"3", "xmm0", "sse4_1", NULL, NULL, 0, "blendvpd blendvps pblendvb"},
    {"2", NULL, "sse4_1", NULL, NULL, 0,
     "movntdqa packusdw pcmpeqq phminposuw pmaxsb pmaxsd pmaxud pmaxuw pminsb pminsd pminud pminuw "
     "pmovsxbd pmovsxbq pmovsxbw pmovsxdq pmovsxwd pmovsxwq pmovzxbd pmovzxbq pmovzxbw pmovzxdq "
     "pmovzxwd pmovzxwq pmuldq pmulld ptest"},
    {"2", NULL, "sse4_2", NULL, NULL, 0, "pcmpgtq"},
    {"3", "rcx", "sse4_2", NULL, NULL, 0, "pcmpistri"},
    {"3", "xmm0", "sse4_2", NULL, NULL, 0, "pcmpistrm"},
    {"3", "rax rcx rdx", "sse4_2", NULL, NULL, 0, "pcmpestri"},
    {"3", "rax rdx xmm0", "sse4_2", NULL, NULL, 0, "pcmpestrm"},
    {"3", "rcx", "sse4_2", NULL, NULL, 0, "vpcmpistri"},
    {"3", "xmm0", "sse4_2", NULL, NULL, 0, "vpcmpistrm"},
    {"3", "rax rcx rdx", "sse4_2", NULL, NULL, 0, "vpcmpestri"},
    {"3", "rax rdx xmm0", "sse4_2", NULL, NULL, 0, "vpcmpestrm"},
    {"2", NULL, "aes", NULL, NULL, 0, "aesdec aesdeclast aesenc aesenclast aesimc vaesimc"},
    {"3", NULL, "aes", NULL, NULL, 0, "aeskeygenassist vaeskeygenassist"},
    {"3", NULL, "pclmulqdq", NULL, NULL, 0, "pclmulqdq"},
    {"2", NULL, "sha_ni", NULL, NULL, 0, "sha1msg1 sha1msg2 sha1nexte sha256msg1 sha256msg2"},
    {"3", NULL, "sha_ni", NULL, NULL, 0, "sha1rnds4"},
    {"3", "xmm0", "sha_ni", NULL, NULL, 0, "sha256rnds2"},
    {"3", NULL, "gfni", NULL, NULL, 0, "gf2p8affineinvqb gf2p8affineqb"},
    {"2", NULL, "gfni", NULL, NULL, 0, "gf2p8mulb"},

    /* AVX, AVX2 and AVX-512; the encoding itself implies avx and avx512f */
    {"3", NULL, NULL, NULL, "avx512f", 0,
     "vaddpd vaddps vdivpd vdivps vmaxpd vmaxps vminpd vminps vmulpd vmulps vsubpd vsubps vunpckhpd "
     "vunpckhps vunpcklpd vunpcklps vpermilpd vpermilps"},
    {"3", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR,
     "vaddsd vaddss vdivsd vdivss vmaxsd vmaxss vminsd vminss vmulsd vmulss vsubsd vsubss vsqrtsd "
     "vsqrtss vcvtsd2ss vcvtss2sd vcvtsi2sd vcvtsi2ss vmovhlps vmovlhps vmovsd vmovss vmovhpd vmovhps "
     "vmovlpd vmovlps vextractps"},
    {"2", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR,
     "vcomisd vcomiss vcvtsd2si vcvtss2si vcvttsd2si vcvttss2si vmovd vmovhpd vmovhps vmovlpd vmovlps "
     "vmovq vmovsd vmovss vucomisd vucomiss"},
    {"4", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR, "vinsertps"},
    {"2", NULL, NULL, NULL, "avx512f", 0,
     "vcvtdq2pd vcvtdq2ps vcvtpd2dq vcvtpd2ps vcvtps2dq vcvtps2pd vcvttpd2dq vcvttps2dq vmovapd "
     "vmovaps vmovddup vmovntdq vmovntpd vmovntps vmovshdup vmovsldup vmovupd vmovups vsqrtpd vsqrtps"},
    {"2", NULL, NULL, NULL, "avx512f", OPCODE_LOADS, "vbroadcastsd vbroadcastss"},
    {"2", NULL, "avx2", NULL, "avx512f", 0, "vbroadcastsd vbroadcastss"},
    {"4", NULL, NULL, NULL, "avx512f", 0, "vshufpd vshufps"},
    {"3", NULL, NULL, NULL, "avx512dq", 0, "vandnpd vandnps vandpd vandps vorpd vorps vxorpd vxorps"},
    {"1", NULL, NULL, NULL, NULL, 0, "vstmxcsr"},
    {"2", NULL, NULL, NULL, NULL, 0,
     "vbroadcastf128 vlddqu vmovdqa vmovdqu vmovmskpd vmovmskps vphminposuw vptest vrcpps vrsqrtps "
     "vtestpd vtestps"},
    {"3", NULL, NULL, NULL, NULL, 0,
     "vaddsubpd vaddsubps vextractf128 vhaddpd vhaddps vhsubpd vhsubps vmaskmovpd vmaskmovps vrcpss "
     "vroundpd vroundps vrsqrtss"},
    {"4", NULL, NULL, NULL, NULL, 0,
     "vblendpd vblendps vblendvpd vblendvps vdppd vdpps vinsertf128 vperm2f128 vroundsd vroundss"},
    {"3", NULL, NULL, NULL, "avx512f", 0,
     "vcmpeqpd vcmpeqps vcmpltpd vcmpltps vcmplepd vcmpleps vcmpunordpd vcmpunordps vcmpneqpd "
     "vcmpneqps vcmpnltpd vcmpnltps vcmpnlepd vcmpnleps vcmpordpd vcmpordps vcmpeq_uqpd vcmpeq_uqps "
     "vcmpngepd vcmpngeps vcmpngtpd vcmpngtps vcmpfalsepd vcmpfalseps vcmpneq_oqpd vcmpneq_oqps "
     "vcmpgepd vcmpgeps vcmpgtpd vcmpgtps vcmptruepd vcmptrueps vcmpeq_ospd vcmpeq_osps vcmplt_oqpd "
     "vcmplt_oqps vcmple_oqpd vcmple_oqps vcmpunord_spd vcmpunord_sps vcmpneq_uspd vcmpneq_usps "
     "vcmpnlt_uqpd vcmpnlt_uqps vcmpnle_uqpd vcmpnle_uqps vcmpord_spd vcmpord_sps vcmpeq_uspd "
     "vcmpeq_usps vcmpnge_uqpd vcmpnge_uqps vcmpngt_uqpd vcmpngt_uqps vcmpfalse_ospd vcmpfalse_osps "
     "vcmpneq_ospd vcmpneq_osps vcmpge_oqpd vcmpge_oqps vcmpgt_oqpd vcmpgt_oqps vcmptrue_uspd "
     "vcmptrue_usps"},
    {"3", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR,
     "vcmpeqsd vcmpeqss vcmpltsd vcmpltss vcmplesd vcmpless vcmpunordsd vcmpunordss vcmpneqsd "
     "vcmpneqss vcmpnltsd vcmpnltss vcmpnlesd vcmpnless vcmpordsd vcmpordss vcmpeq_uqsd vcmpeq_uqss "
     "vcmpngesd vcmpngess vcmpngtsd vcmpngtss vcmpfalsesd vcmpfalsess vcmpneq_oqsd vcmpneq_oqss "
     "vcmpgesd vcmpgess vcmpgtsd vcmpgtss vcmptruesd vcmptruess vcmpeq_ossd vcmpeq_osss vcmplt_oqsd "
     "vcmplt_oqss vcmple_oqsd vcmple_oqss vcmpunord_ssd vcmpunord_sss vcmpneq_ussd vcmpneq_usss "
     "vcmpnlt_uqsd vcmpnlt_uqss vcmpnle_uqsd vcmpnle_uqss vcmpord_ssd vcmpord_sss vcmpeq_ussd "
     "vcmpeq_usss vcmpnge_uqsd vcmpnge_uqss vcmpngt_uqsd vcmpngt_uqss vcmpfalse_ossd vcmpfalse_osss "
     "vcmpneq_ossd vcmpneq_osss vcmpge_oqsd vcmpge_oqss vcmpgt_oqsd vcmpgt_oqss vcmptrue_ussd "
     "vcmptrue_usss"},
    {"2", NULL, "f16c", NULL, "avx512f", 0, "vcvtph2ps"},
    {"3", NULL, "f16c", NULL, "avx512f", 0, "vcvtps2ph"},
    {"3", NULL, "fma", NULL, "avx512f", 0,
     "vfmadd132pd vfmadd132ps vfmadd213pd vfmadd213ps vfmadd231pd vfmadd231ps vfmsub132pd vfmsub132ps "
     "vfmsub213pd vfmsub213ps vfmsub231pd vfmsub231ps vfnmadd132pd vfnmadd132ps vfnmadd213pd "
     "vfnmadd213ps vfnmadd231pd vfnmadd231ps vfnmsub132pd vfnmsub132ps vfnmsub213pd vfnmsub213ps "
     "vfnmsub231pd vfnmsub231ps vfmaddsub132pd vfmaddsub132ps vfmaddsub213pd vfmaddsub213ps "
     "vfmaddsub231pd vfmaddsub231ps vfmsubadd132pd vfmsubadd132ps vfmsubadd213pd vfmsubadd213ps "
     "vfmsubadd231pd vfmsubadd231ps"},
    {"3", NULL, "fma", NULL, "avx512f", OPCODE_SCALAR,
     "vfmadd132sd vfmadd132ss vfmadd213sd vfmadd213ss vfmadd231sd vfmadd231ss vfmsub132sd vfmsub132ss "
     "vfmsub213sd vfmsub213ss vfmsub231sd vfmsub231ss vfnmadd132sd vfnmadd132ss vfnmadd213sd "
     "vfnmadd213ss vfnmadd231sd vfnmadd231ss vfnmsub132sd vfnmsub132ss vfnmsub213sd vfnmsub213ss "
     "vfnmsub231sd vfnmsub231ss"},
    {"4", NULL, "fma4", NULL, NULL, 0,
     "vfmaddpd vfmaddps vfmaddsd vfmaddss vfmsubpd vfmsubps vfmsubsd vfmsubss vfnmaddpd vfnmaddps "
     "vfnmaddsd vfnmaddss vfnmsubpd vfnmsubps vfnmsubsd vfnmsubss vfmaddsubpd vfmaddsubps vfmsubaddpd "
     "vfmsubaddps"},
    {"3", NULL, "aes", "vaes", "vaes", 0, "vaesdec vaesdeclast vaesenc vaesenclast"},
    {"4", NULL, "pclmulqdq", "vpclmulqdq", "vpclmulqdq", 0, "vpclmulqdq"},
    {"4", NULL, "gfni", NULL, "gfni", OPCODE_WHOLE, "vgf2p8affineinvqb vgf2p8affineqb"},
    {"3", NULL, "gfni", NULL, "gfni", 0, "vgf2p8mulb"},
    {"3", NULL, NULL, "avx2", "avx512bw", 0,
     "vpackssdw vpacksswb vpackusdw vpackuswb vpaddb vpaddsb vpaddsw vpaddusb vpaddusw vpaddw vpavgb "
     "vpavgw vpcmpeqb vpcmpeqw vpcmpgtb vpcmpgtw vpmaddubsw vpmaddwd vpmaxsb vpmaxsw vpmaxub vpmaxuw "
     "vpminsb vpminsw vpminub vpminuw vpmulhrsw vpmulhuw vpmulhw vpmullw vpsadbw vpshufb vpshufhw "
     "vpshuflw vpslldq vpsllw vpsraw vpsrldq vpsrlw vpsubb vpsubsb vpsubsw vpsubusb vpsubusw vpsubw "
     "vpunpckhbw vpunpckhwd vpunpcklbw vpunpcklwd"},
    {"2", NULL, NULL, "avx2", "avx512bw", 0, "vpabsb vpabsw vpmovsxbw vpmovzxbw"},
    {"4", NULL, NULL, "avx2", "avx512bw", 0, "vpalignr"},
    {"3", NULL, NULL, NULL, "avx512bw", OPCODE_SCALAR, "vpextrb vpextrw"},
    {"4", NULL, NULL, NULL, "avx512bw", OPCODE_SCALAR, "vpinsrb vpinsrw"},
    {"3", NULL, NULL, NULL, "avx512dq", OPCODE_SCALAR, "vpextrd vpextrq"},
    {"4", NULL, NULL, NULL, "avx512dq", OPCODE_SCALAR, "vpinsrd vpinsrq"},
    {"3", NULL, NULL, "avx2", "avx512f", 0,
     "vpaddd vpaddq vpcmpeqd vpcmpeqq vpcmpgtd vpcmpgtq vpmaxsd vpmaxud vpminsd vpminud vpmuldq "
     "vpmulld vpmuludq vpshufd vpslld vpsllq vpsrad vpsrld vpsrlq vpsubd vpsubq vpunpckhdq vpunpckhqdq "
     "vpunpckldq vpunpcklqdq"},
    {"2", NULL, NULL, "avx2", "avx512f", 0,
     "vmovntdqa vpabsd vpmovsxbd vpmovsxbq vpmovsxdq vpmovsxwd vpmovsxwq vpmovzxbd vpmovzxbq vpmovzxdq "
     "vpmovzxwd vpmovzxwq"},
    {"3", NULL, NULL, "avx2", NULL, 0,
     "vpand vpandn vphaddd vphaddsw vphaddw vphsubd vphsubsw vphsubw vpor vpsignb vpsignd vpsignw "
     "vpxor"},
    {"2", NULL, NULL, "avx2", NULL, 0, "vpmovmskb"},
    {"4", NULL, NULL, "avx2", NULL, 0, "vmpsadbw vpblendvb vpblendw"},
    {"3", NULL, "avx2", NULL, "avx512f", 0,
     "vpermd vpermpd vpermps vpermq vpsllvd vpsllvq vpsravd vpsrlvd vpsrlvq"},
    {"2", NULL, "avx2", NULL, "avx512f", 0, "vpbroadcastd vpbroadcastq"},
    {"2", NULL, "avx2", NULL, "avx512bw", 0, "vpbroadcastb vpbroadcastw"},
    {"2", NULL, "avx2", NULL, NULL, 0, "vbroadcasti128"},
    {"3", NULL, "avx2", NULL, NULL, 0, "vextracti128 vpmaskmovd vpmaskmovq"},
    {"4", NULL, "avx2", NULL, NULL, 0, "vinserti128 vpblendd vperm2i128"},
    {"2", NULL, NULL, NULL, "avx512f", 0,
     "vbroadcastf32x4 vbroadcastf64x4 vbroadcasti32x4 vbroadcasti64x4 vcompresspd vcompressps "
     "vcvtpd2udq vcvtps2udq vcvttpd2udq vcvttps2udq vcvtudq2pd vcvtudq2ps vexpandpd vexpandps "
     "vgetexppd vgetexpps vmovdqa32 vmovdqa64 vmovdqu32 vmovdqu64 vpabsq vpcompressd vpcompressq "
     "vpexpandd vpexpandq vpmovdb vpmovdw vpmovqb vpmovqd vpmovqw vpmovsdb vpmovsdw vpmovsqb vpmovsqd "
     "vpmovsqw vpmovusdb vpmovusdw vpmovusqb vpmovusqd vpmovusqw vrcp14pd vrcp14ps vrsqrt14pd "
     "vrsqrt14ps"},
    {"3", NULL, NULL, NULL, "avx512f", 0,
     "vblendmpd vblendmps vextractf32x4 vextractf64x4 vextracti32x4 vextracti64x4 vgetmantpd "
     "vgetmantps vpandd vpandnd vpandnq vpandq vpblendmd vpblendmq vpermi2d vpermi2pd vpermi2ps "
     "vpermi2q vpermt2d vpermt2pd vpermt2ps vpermt2q vpmaxsq vpmaxuq vpminsq vpminuq vpord vporq "
     "vprold vprolq vprolvd vprolvq vprord vprorq vprorvd vprorvq vpsraq vpsravq vptestmd vptestmq "
     "vptestnmd vptestnmq vpxord vpxorq vrndscalepd vrndscaleps vscalefpd vscalefps"},
    {"4", NULL, NULL, NULL, "avx512f", 0,
     "valignd valignq vfixupimmpd vfixupimmps vinsertf32x4 vinsertf64x4 vinserti32x4 vinserti64x4 "
     "vpternlogd vpternlogq vshuff32x4 vshuff64x2 vshufi32x4 vshufi64x2"},
    {"2", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR, "vcvtsd2usi vcvtss2usi vcvttsd2usi vcvttss2usi"},
    {"3", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR,
     "vcvtusi2sd vcvtusi2ss vgetexpsd vgetexpss vrcp14sd vrcp14ss vrsqrt14sd vrsqrt14ss vscalefsd "
     "vscalefss"},
    {"4", NULL, NULL, NULL, "avx512f", OPCODE_SCALAR,
     "vfixupimmsd vfixupimmss vgetmantsd vgetmantss vrndscalesd vrndscaless"},
    {"3", NULL, NULL, NULL, "avx512f", 0,
     "vpcmpltd vpcmpltq vpcmpltud vpcmpltuq vpcmpled vpcmpleq vpcmpleud vpcmpleuq vpcmpneqd vpcmpneqq "
     "vpcmpnequd vpcmpnequq vpcmpnltd vpcmpnltq vpcmpnltud vpcmpnltuq vpcmpnled vpcmpnleq vpcmpnleud "
     "vpcmpnleuq vpcmpequd vpcmpequq"},
    {"3", NULL, NULL, NULL, "avx512bw", 0,
     "vpcmpltb vpcmpltw vpcmpltub vpcmpltuw vpcmpleb vpcmplew vpcmpleub vpcmpleuw vpcmpneqb vpcmpneqw "
     "vpcmpnequb vpcmpnequw vpcmpnltb vpcmpnltw vpcmpnltub vpcmpnltuw vpcmpnleb vpcmpnlew vpcmpnleub "
     "vpcmpnleuw vpcmpequb vpcmpequw"},
    {"2", NULL, NULL, NULL, "avx512bw", 0,
     "vmovdqu16 vmovdqu8 vpmovb2m vpmovm2b vpmovm2w vpmovswb vpmovuswb vpmovw2m vpmovwb"},
    {"3", NULL, NULL, NULL, "avx512bw", 0,
     "vpblendmb vpblendmw vpermi2w vpermt2w vpermw vpsllvw vpsravw vpsrlvw vptestmb vptestmw vptestnmb "
     "vptestnmw"},
    {"4", NULL, NULL, NULL, "avx512bw", 0, "vdbpsadbw"},
    {"2", NULL, NULL, NULL, "avx512dq", 0,
     "vcvtpd2qq vcvtpd2uqq vcvtps2qq vcvtps2uqq vcvttpd2qq vcvttpd2uqq vcvttps2qq vcvttps2uqq "
     "vcvtqq2pd vcvtqq2ps vcvtuqq2pd vcvtuqq2ps vbroadcastf32x2 vbroadcastf32x8 vbroadcastf64x2 "
     "vbroadcasti32x2 vbroadcasti32x8 vbroadcasti64x2 vpmovd2m vpmovm2d vpmovm2q vpmovq2m"},
    {"3", NULL, NULL, NULL, "avx512dq", 0,
     "vextractf32x8 vextractf64x2 vextracti32x8 vextracti64x2 vfpclasspd vfpclassps vpmullq vreducepd "
     "vreduceps"},
    {"4", NULL, NULL, NULL, "avx512dq", 0,
     "vinsertf32x8 vinsertf64x2 vinserti32x8 vinserti64x2 vrangepd vrangeps"},
    {"3", NULL, NULL, NULL, "avx512dq", OPCODE_SCALAR, "vfpclasssd vfpclassss"},
    {"4", NULL, NULL, NULL, "avx512dq", OPCODE_SCALAR, "vrangesd vrangess vreducesd vreducess"},
    {"2", NULL, NULL, NULL, "avx512cd", 0,
     "vpbroadcastmb2q vpbroadcastmw2d vpconflictd vpconflictq vplzcntd vplzcntq"},
    {"3", NULL, "avx_vnni", NULL, "avx512_vnni", 0, "vpdpbusd vpdpbusds vpdpwssd vpdpwssds"},
    {"3", NULL, "avx_ifma", NULL, "avx512ifma", 0, "vpmadd52huq vpmadd52luq"},
    {"3", NULL, NULL, NULL, "avx512vbmi", 0, "vpermb vpermi2b vpermt2b vpmultishiftqb"},
    {"2", NULL, NULL, NULL, "avx512_vbmi2", 0, "vpcompressb vpcompressw vpexpandb vpexpandw"},
    {"3", NULL, NULL, NULL, "avx512_vbmi2", 0, "vpshldvd vpshldvq vpshldvw vpshrdvd vpshrdvq vpshrdvw"},
    {"4", NULL, NULL, NULL, "avx512_vbmi2", 0, "vpshldd vpshldq vpshldw vpshrdd vpshrdq vpshrdw"},
    {"2", NULL, NULL, NULL, "avx512_bitalg", 0, "vpopcntb vpopcntw"},
    {"3", NULL, NULL, NULL, "avx512_bitalg", 0, "vpshufbitqmb"},
    {"2", NULL, NULL, NULL, "avx512_vpopcntdq", 0, "vpopcntd vpopcntq"},
    {"3", NULL, NULL, NULL, "avx512_bf16", 0, "vcvtne2ps2bf16 vdpbf16ps"},
    {"2", NULL, NULL, NULL, "avx512_bf16", 0, "vcvtneps2bf16"},
    {"3", NULL, NULL, NULL, "avx512_fp16", 0,
     "vaddph vdivph vmaxph vminph vmulph vsubph vfmadd132ph vfmadd213ph vfmadd231ph vfmsub132ph "
     "vfmsub213ph vfmsub231ph vfnmadd132ph vfnmadd213ph vfnmadd231ph vfnmsub132ph vfnmsub213ph "
     "vfnmsub231ph"},
    {"2", NULL, NULL, NULL, "avx512_fp16", 0, "vsqrtph"},

    /* gathers; with EVEX the mask is not a separate operand */
    {"3", NULL, "avx2", NULL, NULL, 0,
     "vgatherdps vgatherdpd vgatherqps vgatherqpd vpgatherdd vpgatherdq vpgatherqd vpgatherqq"},
    {"2", NULL, NULL, NULL, "avx512f", 0,
     "vgatherdps vgatherdpd vgatherqps vgatherqpd vpgatherdd vpgatherdq vpgatherqd vpgatherqq vscatterdps "
     "vscatterdpd vscatterqps vscatterqpd vpscatterdd vpscatterdq vpscatterqd vpscatterqq"},

    /* masks */
    {"3", NULL, "avx512f", NULL, NULL, 0, "kandnw kandw korw kshiftlw kshiftrw kunpckbw kxnorw kxorw"},
    {"2", NULL, "avx512f", NULL, NULL, 0, "kmovw knotw kortestw"},
    {"3", NULL, "avx512dq", NULL, NULL, 0, "kaddb kandb kandnb korb kshiftlb kshiftrb kxnorb kxorb kaddw"},
    {"2", NULL, "avx512dq", NULL, NULL, 0, "kmovb knotb kortestb ktestb ktestw"},
    {"3", NULL, "avx512bw", NULL, NULL, 0,
     "kaddd kaddq kandd kandq kandnd kandnq kord korq kshiftld kshiftlq kshiftrd kshiftrq kxnord "
     "kxnorq kxord kxorq kunpckdq kunpckwd"},
    {"2", NULL, "avx512bw", NULL, NULL, 0, "kmovd kmovq knotd knotq kortestd kortestq ktestd ktestq"},

    /* XOP */
    {"4", NULL, "xop", NULL, NULL, OPCODE_XOP,
     "vpmacsdd vpmacsdqh vpmacsdql vpmacswd vpmacsww vpmacssdd vpmacssdqh vpmacssdql vpmacsswd "
     "vpmacssww vpcmov vpmadcsswd vpmadcswd vpperm"},
    {"3", NULL, "xop", NULL, NULL, OPCODE_XOP,
     "vpcomltb vpcomltd vpcomltq vpcomltw vpcomltub vpcomltud vpcomltuq vpcomltuw vpcomleb vpcomled "
     "vpcomleq vpcomlew vpcomleub vpcomleud vpcomleuq vpcomleuw vpcomgtb vpcomgtd vpcomgtq vpcomgtw "
     "vpcomgtub vpcomgtud vpcomgtuq vpcomgtuw vpcomgeb vpcomged vpcomgeq vpcomgew vpcomgeub vpcomgeud "
     "vpcomgeuq vpcomgeuw vpcomeqb vpcomeqd vpcomeqq vpcomeqw vpcomequb vpcomequd vpcomequq vpcomequw "
     "vpcomneqb vpcomneqd vpcomneqq vpcomneqw vpcomnequb vpcomnequd vpcomnequq vpcomnequw vpcomfalseb "
     "vpcomfalsed vpcomfalseq vpcomfalsew vpcomfalseub vpcomfalseud vpcomfalseuq vpcomfalseuw "
     "vpcomtrueb vpcomtrued vpcomtrueq vpcomtruew vpcomtrueub vpcomtrueud vpcomtrueuq vpcomtrueuw "
     "vprotb vprotd vprotq vprotw vpshab vpshad vpshaq vpshaw vpshlb vpshld vpshlq vpshlw"},
    {"2", NULL, "xop", NULL, NULL, OPCODE_XOP,
     "vfrczpd vfrczps vfrczsd vfrczss vphaddbd vphaddbq vphaddbw vphadddq vphaddubd vphaddubq "
     "vphaddubw vphaddudq vphadduwd vphadduwq vphaddwd vphaddwq vphsubbw vphsubdq vphsubwd"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- refused instructions ---- */

#define LEAVES "it leaves the text, whose instructions run in sequence"
#define STACK "it moves the stack, which is the caller's"
#define STATE "it changes a state of the processor that the program around it relies on"
#define STRING "string instructions move rsi or rdi, which the loop needs"
#define PRIVILEGED "only an operating system may use it"
#define X87 "x87 instructions leave their own stack behind"
#define HIDDEN "an implicit register holds its address, and a text has only {memory}"
#define UNSIZED "the size of its memory depends on the processor, and a text has only {memory}"

static const struct {
    const char *names; /* with fnmatch's *, ? and [], separated by blanks */
    const char *why;
} refusals[] = {
    {"j* call lcall ljmp ret retf retfq loop* iret* uiret sys* int int[13o]* ud[012]* xbegin xabort xend",
     LEAVES},
    {"push* pop pop[2fap]* enter leave rdssp* incssp* saveprevssp *rstorssp wrss* wruss*", STACK},
    {"std cld *ldmxcsr *rstor* vzero* wr[fg]sbase rdpkru wrpkru ldtilecfg tilerelease umonitor umwait tpause",
     STATE},
    {"movs[bwq] lods[bwdq] stos[bwdq] scas[bwdq] cmps[bwdq] ins[bwd] outs[bwd]", STRING},
    {"clzero* xlatb *maskmovdqu maskmovq movdir64b enqcmd* monitorx mwaitx", HIDDEN},
    {"*xsave* fxsave* sttilecfg", UNSIZED},
    {"emms femms f* wait", X87},
    {"hlt cli sti clts in out *msr* rdpmc *invd wbnoinvd inv* [ls][gil]dt* ltr lmsw swapgs stac clac rsm "
     "stgi clgi monitor mwait skinit encl[suv] vm[clrwx]* vmmcall vmfunc vmptr* vmsave xsetbv",
     PRIVILEGED},
};

/* ---- look-up ---- */

static bool fits(const struct opcode_row *row, unsigned operands, bool memory)
{
    bool counted = operands < 10 && strchr(row->operands, (char)('0' + operands)) != NULL;
    return counted && (memory || (row->traits & OPCODE_LOADS) == 0);
}

/* The row of the instruction with this many operands, at most one of them in memory, or NULL. */
static const struct opcode_row *opcode_find(const char *name, unsigned operands, bool memory)
{
    for (size_t i = 0; i < ROWS; i++)
        if (fits(&rows[i], operands, memory) && text_has_word(rows[i].names, name))
            return &rows[i];
    return NULL;
}

/* True if some row has the name, with any operands. */
static bool opcode_known(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (text_has_word(rows[i].names, name))
            return true;
    return false;
}

static bool has_pattern(const char *patterns, const char *name)
{
    while (*patterns != '\0') {
        char pattern[32];
        size_t length = strcspn(patterns, " ");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (fnmatch(pattern, name, 0) == 0)
            return true;
        patterns += length + strspn(patterns + length, " ");
    }
    return false;
}

/* Why an instruction without a row is not allowed; NULL: no specific reason. */
static const char *opcode_refusal(const char *name)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (has_pattern(refusals[i].names, name))
            return refusals[i].why;
    return NULL;
}

/* ---- text rules ---- */

/* The rules for users' own x86-64 instructions (isa/text_rules.h). */

static const struct fixed_register fixed[] = {{"rdi", "counts the passes"},
                                              {"rsi", "holds the data's address"},
                                              {"rsp", "is the caller's stack"},
                                              {NULL, NULL}};

/* 64, 32, 16 and 8 bits, and the second byte of the first four. */
static const char *const general[][5] = {
    {"rax", "eax", "ax", "al", "ah"},    {"rcx", "ecx", "cx", "cl", "ch"},
    {"rdx", "edx", "dx", "dl", "dh"},    {"rbx", "ebx", "bx", "bl", "bh"},
    {"rsp", "esp", "sp", "spl", ""},     {"rbp", "ebp", "bp", "bpl", ""},
    {"rsi", "esi", "si", "sil", ""},     {"rdi", "edi", "di", "dil", ""},
    {"r8", "r8d", "r8w", "r8b", ""},     {"r9", "r9d", "r9w", "r9b", ""},
    {"r10", "r10d", "r10w", "r10b", ""}, {"r11", "r11d", "r11w", "r11b", ""},
    {"r12", "r12d", "r12w", "r12b", ""}, {"r13", "r13d", "r13w", "r13b", ""},
    {"r14", "r14d", "r14w", "r14b", ""}, {"r15", "r15d", "r15w", "r15b", ""},
};
enum { GENERAL = sizeof general / sizeof general[0], VECTORS = 32, MASKS = 8, LONGEST_NAME = 7 };

static const unsigned general_bits[] = {64, 32, 16, 8, 8};

/* "xmm0" to "zmm31", "k0" to "k7" */
static bool read_numbered(const char *name, struct register_use *use)
{
    bool vector = strchr("xyz", name[0]) != NULL && name[0] != '\0' && strncmp(name + 1, "mm", 2) == 0;
    const char *digits = vector ? name + 3 : name + 1;
    if (!vector && name[0] != 'k')
        return false;
    if (strspn(digits, "0123456789") != strlen(digits) || digits[0] == '\0' || strlen(digits) > 2 ||
        (digits[0] == '0' && digits[1] != '\0'))
        return false;
    use->kind = vector ? 'v' : 'k';
    use->number = (unsigned)atoi(digits);
    use->bits = !vector ? 64 : name[0] == 'x' ? 128 : name[0] == 'y' ? 256 : 512;
    return use->number < (vector ? VECTORS : MASKS);
}

static bool read_register(const char *name, size_t length, struct register_use *use)
{
    char text[LONGEST_NAME + 1];
    if (length == 0 || length > LONGEST_NAME)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    for (unsigned i = 0; i < GENERAL; i++) {
        for (unsigned j = 0; j < sizeof general_bits / sizeof general_bits[0]; j++) {
            if (strcmp(general[i][j], text) == 0) {
                *use = (struct register_use){'r', i, general_bits[j]};
                return true;
            }
        }
    }
    return read_numbered(text, use);
}

static bool write_register(const struct register_use *use, char *name)
{
    static const char widths[] = "xyz";
    unsigned step = use->bits / 256; /* 0, 1, 2 */
    if (use->kind == 'k')
        snprintf(name, LONGEST_NAME + 1, "k%u", use->number % MASKS);
    else if (use->kind == 'v' && (use->bits == 128 || use->bits == 256 || use->bits == 512))
        snprintf(name, LONGEST_NAME + 1, "%cmm%u", widths[step], use->number % VECTORS);
    else if (use->kind != 'r')
        return false;
    for (unsigned j = 0; use->kind == 'r'; j++) {
        if (j == sizeof general_bits / sizeof general_bits[0])
            return false;
        if (general_bits[j] != use->bits)
            continue;
        snprintf(name, LONGEST_NAME + 1, "%s", general[use->number % GENERAL][j]);
        return true;
    }
    return true;
}

/* Vector registers from 16 on exist only with AVX-512, whose instructions take 512 bits. */
static const char *clear(struct register_use *use)
{
    if (use->kind == 'k')
        return "start.given_mask";
    if (use->kind == 'r') {
        use->bits = 64;
        return "start.given";
    }
    if (use->number > 15)
        use->bits = 512;
    return use->bits == 512 ? "start.given_512" : use->bits == 256 ? "start.given_256" : "start.given_128";
}

/* ---- prefixes ---- */

static bool is_prefix(const char *name, size_t length)
{
    static const char *const prefixes[] = {
        "data16", "data32", "addr16", "addr32", "lock", "rep", "repe",     "repz",     "repne", "repnz",
        "cs",     "ds",     "es",     "fs",     "gs",   "ss",  "xacquire", "xrelease", "bnd",   "notrack"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strlen(prefixes[i]) == length && strncmp(prefixes[i], name, length) == 0)
            return true;
    return length >= 3 && strncmp(name, "rex", 3) == 0;
}

/* In 64-bit mode the first bytes of EVEX, VEX and XOP are unambiguous, except 8f, which is also pop, refused
 * by its name. */
static enum opcode_coding coding_of(const uint8_t *bytes, size_t size)
{
    static const uint8_t before[] = {0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x66, 0x67};
    size_t at = 0;
    while (at + 1 < size && memchr(before, bytes[at], sizeof before) != NULL)
        at++;
    switch (size > at ? bytes[at] : 0) {
    case 0x62:
        return CODING_EVEX;
    case 0xc4:
    case 0xc5:
        return CODING_VEX;
    case 0x8f:
        return CODING_XOP;
    default:
        return CODING_PLAIN;
    }
}

/* ---- the disassembler's text, in Intel's syntax ---- */

/* The disassembler's names for sizes of memory operands. */
static const struct {
    const char *word;
    unsigned bytes;
} sizes[] = {{"byte", 1},   {"word", 2},     {"dword", 4},    {"qword", 8},
             {"tbyte", 10}, {"xmmword", 16}, {"ymmword", 32}, {"zmmword", 64}};

struct x86_reading {
    struct text_instruction *instruction;
    char name[TEXT_NAME_BYTES];
    unsigned operands;
    unsigned memories; /* operands in memory */
    bool segment;
    unsigned widest; /* bits */
    bool last_is_register;
    bool repeated; /* {1to8}: memory holds one element */
};

static void add_feature(struct text_instruction *instruction, const char *feature)
{
    for (unsigned i = 0; i < instruction->feature_count; i++)
        if (feature == NULL || strcmp(instruction->features[i], feature) == 0)
            return;
    if (feature != NULL && instruction->feature_count < TEXT_FEATURES)
        instruction->features[instruction->feature_count++] = feature;
}

static void widen(struct x86_reading *reading, const char *name, size_t length)
{
    struct register_use use;
    if (read_register(name, length, &use) && use.kind == 'v' && use.bits > reading->widest)
        reading->widest = use.bits;
}

/* Reads the registers in a part of the text: all its words that begin with a letter. */
static void read_words(struct x86_reading *reading, const char *text, size_t length)
{
    for (const char *at = text; at < text + length;) {
        size_t word = text_word_length(at);
        if (word > 0 && isalpha((unsigned char)*at)) {
            text_add_name(reading->instruction, at, word);
            widen(reading, at, word);
        }
        at += word > 0 ? word : 1;
    }
}

/* Only an address of the form "[rsi + 4096]" has {memory}'s base; others are described by their registers. */
static void read_address(struct x86_reading *reading, const char *inside, size_t length)
{
    struct text_instruction *instruction = reading->instruction;
    char text[TEXT_WHY_BYTES];
    int end = 0;
    long long displacement = 0;
    snprintf(text, sizeof text, "%.*s", (int)length, inside);
    snprintf(instruction->address, sizeof instruction->address, "%s", text);
    if (sscanf(text, "rsi + %lld%n", &displacement, &end) == 1 && (size_t)end == strlen(text)) {
        instruction->based = true;
        instruction->displacement = displacement;
    } else {
        read_words(reading, inside, length);
    }
}

/* "qword ptr [...]", possibly with a segment before the bracket and a repetition count after it. */
static void read_memory(struct x86_reading *reading, const char *text, size_t length, const char *bracket)
{
    struct text_instruction *instruction = reading->instruction;
    const char *close = memchr(bracket, ']', (size_t)(text + length - bracket));
    size_t inside = close == NULL ? 0 : (size_t)(close - bracket - 1);
    size_t size = text_word_length(text);
    reading->memories++;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strlen(sizes[i].word) == size && strncmp(sizes[i].word, text, size) == 0)
            instruction->bytes = sizes[i].bytes;
    reading->segment = reading->segment || memchr(text, ':', (size_t)(bracket - text)) != NULL;
    read_address(reading, bracket + 1, inside);
    if (8 * instruction->bytes > reading->widest && instruction->bytes >= 16)
        reading->widest = 8 * instruction->bytes;
}

/* "{k1}" is a register; "{z}", "{sae}", "{rn-sae}" and "{1to8}" are not. */
static void read_braces(struct x86_reading *reading, const char *inside)
{
    reading->repeated = reading->repeated || inside[0] == '1';
    if (inside[0] == 'k')
        read_words(reading, inside, strcspn(inside, "}"));
}

static void read_operand(struct x86_reading *reading, const char *text, size_t length)
{
    const char *end = text + length;
    const char *bracket = memchr(text, '[', length);
    const char *brace = memchr(text, '{', length);
    size_t plain = brace == NULL ? length : (size_t)(brace - text);
    for (const char *at = brace; at != NULL; at = memchr(at + 1, '{', (size_t)(end - at - 1)))
        read_braces(reading, at + 1);
    if (brace == text)
        return; /* a rounding mode */
    reading->operands++;
    reading->last_is_register = bracket == NULL && isalpha((unsigned char)*text);
    if (bracket != NULL)
        read_memory(reading, text, plain, bracket);
    else
        read_words(reading, text, plain);
}

static void read_text(struct x86_reading *reading, const char *text)
{
    size_t name = strcspn(text, " \t");
    snprintf(reading->name, sizeof reading->name, "%.*s", (int)name, text);
    text += name;
    while (*(text += strspn(text, " \t,")) != '\0' && *text != '#') {
        size_t length = 0;
        for (int depth = 0; text[length] != '\0' && (text[length] != ',' || depth > 0); length++)
            depth += (text[length] == '[') - (text[length] == ']');
        read_operand(reading, text, length);
        text += length;
    }
}

/* ---- analysis ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strncmp(name, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Most SSE instructions without VEX need aligned memory; of the others only those with an aligned form. */
static unsigned alignment_of(const char *name, enum opcode_coding coding, unsigned bytes)
{
    static const char *const free_ones[] = {"movup", "movdqu", "lddqu", "pcmpestr", "pcmpistr", NULL};
    static const char *const bound[] = {"vmovap", "vmovdqa", "vmovnt", NULL};
    bool aligned = coding == CODING_PLAIN ? !is_one_of(name, free_ones) : is_one_of(name, bound);
    return aligned && bytes >= 16 ? bytes : 0;
}

static void read_row(struct x86_reading *reading, const struct opcode_row *row, enum opcode_coding coding)
{
    struct text_instruction *instruction = reading->instruction;
    const char *plain = row->wide != NULL && reading->widest == 256 ? row->wide : row->feature;
    if (row->registers != NULL)
        read_words(reading, row->registers, strlen(row->registers));
    add_feature(instruction, coding == CODING_EVEX ? row->evex : plain);
    if (coding == CODING_VEX)
        add_feature(instruction, "avx");
    if (coding == CODING_EVEX)
        add_feature(instruction, "avx512f");
    if (coding == CODING_EVEX && (row->traits & OPCODE_SCALAR) == 0 && reading->widest < 512)
        add_feature(instruction, "avx512vl");
    if (reading->memories > 0)
        instruction->memory = (row->traits & OPCODE_ADDRESS) != 0 ? TEXT_ADDRESS_ALONE : TEXT_ACCESS;
    if (instruction->memory == TEXT_ADDRESS_ALONE)
        instruction->bytes = 0;
    instruction->align = alignment_of(reading->name, coding, instruction->bytes);
    if (reading->memories > 1)
        text_refuse(instruction, "it has two addresses, and a text has only {memory}");
    if (reading->segment)
        text_refuse(instruction, "its address is in a segment, and a text has only {memory}");
    if (instruction->memory == TEXT_ACCESS && instruction->bytes == 0)
        text_refuse(instruction, "the size of its memory access is unknown");
    if ((row->traits & OPCODE_WHOLE) != 0 && reading->repeated)
        text_refuse(
            instruction,
            "LLVM encodes a wrong address for it with {1to...}: expected vbroadcastsd or vpbroadcastq "
            "of {memory} first");
    if ((row->traits & OPCODE_BITS) != 0 && reading->memories > 0 && reading->last_is_register)
        text_refuse(instruction,
                    "its register selects a bit anywhere in memory: expected a number, $0 to $63, or no "
                    "{memory}");
}

static void understand(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction)
{
    struct x86_reading reading = {.instruction = instruction};
    enum opcode_coding coding = coding_of(bytes, size);
    memset(instruction, 0, sizeof *instruction);
    read_text(&reading, text);
    const struct opcode_row *row = opcode_find(reading.name, reading.operands, reading.memories > 0);
    bool coded = row != NULL && (coding != CODING_EVEX || row->evex != NULL) &&
                 (coding == CODING_XOP) == ((row->traits & OPCODE_XOP) != 0);
    if (coded) {
        read_row(&reading, row, coding);
        return;
    }
    const char *why = opcode_known(reading.name) ? NULL : opcode_refusal(reading.name);
    if (why != NULL) {
        text_refuse(instruction, why);
        return;
    }
    snprintf(instruction->refusal, sizeof instruction->refusal,
             "%s%s is not among the instructions whose reads and writes are known; docs/reference/recipes.md "
             "lists those that a text may have",
             reading.name, opcode_known(reading.name) ? " in this form" : "");
}

static const struct text_rules x86_64_text_rules = {.fixed = fixed,
                                                    .marks = "%$,()+-*{}:._",
                                                    .address = "rsi",
                                                    .farthest = 0x7ff00000,
                                                    .example = "{ \"xmm14\", \"xmm15\" }",
                                                    .clear = clear,
                                                    .read_register = read_register,
                                                    .write_register = write_register,
                                                    .is_prefix = is_prefix,
                                                    .understand = understand};

/* ---- numbers ---- */

#define COUNT(rows) (sizeof rows / sizeof rows[0])

/* Intel SDM, volume 2, sections 2.1.5 and 2.7.5: no displacement, one of 8 bits (with EVEX in units of the
 * memory operand's size), or one of 32 bits. */
static const struct number_class displacements[] = {
    NUMBER_CLASS(0, 0, 1, 0, 0, 0),
    NUMBER_CLASS(-128, 127, 1, 8, 0x55, -0x56),
    NUMBER_CLASS(-128 * 2, 127 * 2, 2, 8, 0x55 * 2, -0x56 * 2),
    NUMBER_CLASS(-128 * 4, 127 * 4, 4, 8, 0x55 * 4, -0x56 * 4),
    NUMBER_CLASS(-128 * 8, 127 * 8, 8, 8, 0x55 * 8, -0x56 * 8),
    NUMBER_CLASS(-128 * 16, 127 * 16, 16, 8, 0x55 * 16, -0x56 * 16),
    NUMBER_CLASS(-128 * 32, 127 * 32, 32, 8, 0x55 * 32, -0x56 * 32),
    NUMBER_CLASS(-128 * 64, 127 * 64, 64, 8, 0x55 * 64, -0x56 * 64),
    NUMBER_CLASS(INT32_MIN, INT32_MAX, 1, 32, 0x55555555, -0x55555556),
};

/* A shift by one has its own encoding; 32-bit operations treat numbers above 2^31 as negative. */
static const struct number_class immediates[] = {
    NUMBER_CLASS(0, 0, 1, 0, 0, 0),
    NUMBER_CLASS(1, 1, 1, 0, 0, 0),
    NUMBER_CLASS(-128, 127, 1, 8, 0x55, -0x56),
    NUMBER_CLASS(128, 255, 1, 8, 0xd5, 0xaa),
    NUMBER_CLASS(INT64_C(0xffffff80), INT64_C(0xffffffff), 1, 8, INT64_C(0xffffffd5), INT64_C(0xffffffaa)),
    NUMBER_CLASS(INT32_MIN, INT32_MAX, 1, 32, 0x55555555, -0x55555556),
    NUMBER_CLASS(INT64_C(0x80000000), INT64_C(0xffffffff), 1, 32, INT64_C(0x95555555), INT64_C(0xeaaaaaaa)),
    NUMBER_CLASS(INT64_MIN, INT64_MAX, 1, 64, INT64_C(0x5555555555555555), -INT64_C(0x5555555555555556)),
};

static const struct number_class targets[] = {
    NUMBER_CLASS(-128, 127, 1, 8, 0x55, -0x50),
    NUMBER_CLASS(INT32_MIN, INT32_MAX, 1, 32, 0x1555, -0x1555),
};

static const struct number_classes x86_64_numbers[NUMBER_KINDS] = {
    [NUMBER_DISPLACEMENT] = {displacements, COUNT(displacements)},
    [NUMBER_IMMEDIATE] = {immediates, COUNT(immediates)},
    [NUMBER_TARGET] = {targets, COUNT(targets)},
};

/* ---- registers ---- */

#define SCALAR(name, half)                                                                                   \
    {                                                                                                        \
#name,                                                                                               \
        {                                                                                                    \
            {                                                                                                \
                32, #half                                                                                    \
            }                                                                                                \
        }                                                                                                    \
    }
#define VECTOR(n)                                                                                            \
    {                                                                                                        \
        "xmm" #n,                                                                                            \
        {                                                                                                    \
            {256, "ymm" #n},                                                                                 \
            {                                                                                                \
                512, "zmm" #n                                                                                \
            }                                                                                                \
        }                                                                                                    \
    }

static const struct register_name registers[] = {
    SCALAR(rax, eax),  SCALAR(rbx, ebx),  SCALAR(rcx, ecx),  SCALAR(rdx, edx),  SCALAR(rsi, esi),
    SCALAR(rdi, edi),  SCALAR(rbp, ebp),  SCALAR(rsp, esp),  SCALAR(r8, r8d),   SCALAR(r9, r9d),
    SCALAR(r10, r10d), SCALAR(r11, r11d), SCALAR(r12, r12d), SCALAR(r13, r13d), SCALAR(r14, r14d),
    SCALAR(r15, r15d), VECTOR(0),         VECTOR(1),         VECTOR(2),         VECTOR(3),
    VECTOR(4),         VECTOR(5),         VECTOR(6),         VECTOR(7),         VECTOR(8),
    VECTOR(9),         VECTOR(10),        VECTOR(11),        VECTOR(12),        VECTOR(13),
    VECTOR(14),        VECTOR(15),
};

/* Intel SDM, volume 1, section 3.7.5: a displacement has at most 32 bits. */
static const struct reach reach = {.low = INT32_MIN, .high = INT32_MAX, .multiple = 1};

/* In AT&T's order the last operand is written; lea uses only the address. */
static enum memory_use memory_use(const char *text)
{
    size_t end = strcspn(text, ";");
    while (end > 0 && strchr(" \t\n", text[end - 1]) != NULL)
        end--;
    const char *bracket = memchr(text, '(', end);
    if (bracket == NULL || strncmp(text, "lea", 3) == 0)
        return MEMORY_UNUSED;
    bool last = text[end - 1] == ')' && memchr(text, ',', (size_t)(bracket - text)) != NULL;
    return last ? MEMORY_WRITTEN : MEMORY_READ;
}

/* Follows an immediate into a general register, from there into a vector register, and from its first lane
 * into the others. The last operand is written. */
static void follow(const char *text, struct register_words *words)
{
    static const char *const spreads[] = {"punpcklqdq", "vmovddup", "vinsertf128", "vpbroadcastq"};
    struct operands operands = operands_read(&isa_x86_64, text);
    int last = operands.count - 1;
    if (last < 1 || operands.registers[last] < 0)
        return;
    int to = operands.registers[last];
    int from = operands.registers[last - 1];
    unsigned lanes = operands.bits[last] == 0 ? 2 : operands.bits[last] / 64;
    bool spread = false;
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
        spread = spread || operands_of(text, spreads[i]);
    if (operands_of(text, "movabsq")) {
        words->words[to] = operands.numbers[last - 1];
        words->lanes[to] = 1;
    } else if ((operands_of(text, "movq") || operands_of(text, "vmovq")) && from >= 0) {
        words->words[to] = words->words[from];
        words->lanes[to] = words->lanes[from];
    } else if (spread && from == to && words->lanes[to] > 0) {
        words->lanes[to] = lanes;
    } else {
        words->lanes[to] = 0;
    }
}

static void prepare(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86Disassembler();
}

#if defined(__x86_64__)
static uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#else
static uint64_t (*const ticks)(void) = NULL;
#endif

/* Between two readings the counter always advances. */
static const struct host host = {.least_width = 3,
                                 .independent = "movslq {r1:32}, {r0}",
                                 .clock = "the time-stamp counter",
                                 .source = "cpuid",
                                 .ticks = ticks,
                                 .passes_per_tick = 1};

static const char *const markers[] = {"gem5", "cpuid", "gem5-address", NULL};

const struct isa isa_x86_64 = {
    .name = "x86_64",
    .machine = "zen5",
    .skeleton = "kernel.s",
    .start = "start.s",
    .probe = "probe.s",
    .markers = markers,
    .plain_width = 8,
    .triple = "x86_64-unknown-linux-gnu",
    .cpu = "x86-64",
    .sized_syntax = true,
    .prepare = prepare,
    .syntax = {.comment = "#",
               .immediate = '$',
               .open = '(',
               .close = ')',
               .written_last = true,
               .address = "{disp}({base})"},
    .register_prefix = "%",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .text_rules = &x86_64_text_rules,
    .memory_use = memory_use,
    .follow = follow,
    .filler = "int3",
    .prefix = "lock",
    .numbers = x86_64_numbers,
    .branch_origin = ORIGIN_END,
    .code_align = 1,
    .reaches = &reach,
    .reach_count = 1,
    .elf_machine = EM_X86_64,
    .load_align = 4096,
    .host = &host,
};
