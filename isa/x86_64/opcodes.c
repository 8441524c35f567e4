#include "isa/x86_64/opcodes.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

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

    /* gathers; with EVEX the mask is no operand of its own */
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

/* ---- why others may not ---- */

#define LEAVES "it leaves the text, whose instructions run in sequence"
#define STACK "it moves the stack, which is the caller's"
#define STATE "it changes a state of the processor that the program around it relies on"
#define STRING "string instructions move rsi or rdi, which the loop needs"
#define PRIVILEGED "only an operating system may use it"
#define X87 "x87 instructions leave their own stack behind"
#define HIDDEN "an implicit register holds its address, and a text has only {memory}"
#define UNSIZED "how much memory it uses depends on the processor, and a text has only {memory}"

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
     "stgi "
     "clgi monitor mwait skinit encl[suv] vm[clrwx]* vmmcall vmfunc vmptr* vmsave xsetbv",
     PRIVILEGED},
};

/* ---- looking up ---- */

static bool has_word(const char *words, const char *name, size_t length)
{
    for (const char *at = words; (at = strstr(at, name)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool fits(const struct opcode_row *row, unsigned operands, bool memory)
{
    bool counted = operands < 10 && strchr(row->operands, (char)('0' + operands)) != NULL;
    return counted && (memory || (row->traits & OPCODE_LOADS) == 0);
}

const struct opcode_row *opcode_find(const char *name, unsigned operands, bool memory)
{
    size_t length = strlen(name);
    for (size_t i = 0; length > 0 && i < ROWS; i++)
        if (fits(&rows[i], operands, memory) && has_word(rows[i].names, name, length))
            return &rows[i];
    return NULL;
}

bool opcode_known(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; length > 0 && i < ROWS; i++)
        if (has_word(rows[i].names, name, length))
            return true;
    return false;
}

const struct opcode_row *opcode_row(size_t n)
{
    return n < ROWS ? &rows[n] : NULL;
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

const char *opcode_refusal(const char *name)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (has_pattern(refusals[i].names, name))
            return refusals[i].why;
    return NULL;
}
