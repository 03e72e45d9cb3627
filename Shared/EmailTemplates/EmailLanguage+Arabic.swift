import Contracts
import Vocabulary

extension EmailLanguage {
    static let arabic = EmailLanguage(
        language: .arabic,
        greeting: "مرحبًا %DISPLAY_NAME%،",
        genericGreeting: "مرحبًا،",
        linkHint: "إذا لم يعمل الزر، فانسخ هذا العنوان إلى متصفحك:",
        farewell: "فريق %APP_NAME%",
        support: "هل لديك أسئلة؟ %SUPPORT_CONTACT%",
        genericFactorName: "عامل تحقق ثانٍ",
        hiddenPasskeyName: "غير معروض",
        unknownClient: "غير معروف",
        methods: .init(
            password: "كلمة مرور", emailLink: "رابط عبر البريد الإلكتروني", phoneNumber: "رقم هاتف",
            passkey: "مفتاح مرور", none: "لا شيء",
            separator: "، ")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "تأكيد بريدك الإلكتروني في %APP_NAME%",
                lead: "افتح هذا الرابط لتأكيد عنوان بريدك الإلكتروني %EMAIL%.",
                button: "تأكيد عنوان البريد",
                closing: "إذا لم تطلب تأكيد هذا العنوان، فيمكنك تجاهل هذه الرسالة.")
        case .resetPassword:
            EmailText(
                subject: "إعادة تعيين كلمة المرور في %APP_NAME%",
                lead: "افتح هذا الرابط لإعادة تعيين كلمة مرور %APP_NAME% لحسابك %EMAIL%.",
                button: "إعادة تعيين كلمة المرور",
                closing: "إذا لم تطلب إعادة تعيين كلمة المرور، فيمكنك تجاهل هذه الرسالة.")
        case .emailSignIn:
            EmailText(
                subject: "تسجيل الدخول إلى %APP_NAME%",
                lead: "تلقينا طلبًا لتسجيل الدخول إلى %APP_NAME% بالعنوان %EMAIL%. افتح هذا الرابط لتسجيل الدخول.",
                button: "تسجيل الدخول",
                closing: "كل من لديه الرابط يمكنه تسجيل الدخول باسمك: لا تُعِد توجيه هذه الرسالة. وإذا لم تطلبها، فيمكنك "
                    + "تجاهلها.")
        case .emailSignInCode:
            EmailText(
                subject: "رمز تسجيل الدخول إلى %APP_NAME%",
                lead:
                    "تلقينا طلبًا لتسجيل الدخول إلى %APP_NAME% بالعنوان %EMAIL%. أدخل هذا الرمز حيث طلبته. الرمز صالح لمدة 10 دقائق.",
                closing:
                    "كل من لديه الرمز يمكنه تسجيل الدخول باسمك: لا تعطه لأحد، ولا حتى لفريق %APP_NAME%. وإذا لم تكن أنت من طلبه، فيمكنك تجاهل هذه الرسالة."
            )
        case .emailVerificationCode:
            EmailText(
                subject: "رمز التأكيد في %APP_NAME%",
                lead:
                    "أدخل هذا الرمز حيث طلبته لتأكيد عنوان بريدك الإلكتروني %EMAIL%. الرمز صالح لمدة 10 دقائق.",
                closing:
                    "لا تعطِ الرمز لأحد: فقد يُضاف عنوانك إلى حساب شخص آخر. وإذا لم تكن أنت من طلبه، فيمكنك تجاهل هذه الرسالة."
            )
        case .verifyAndChangeEmail:
            EmailText(
                subject: "تأكيد بريدك الإلكتروني الجديد في %APP_NAME%",
                lead:
                    "افتح هذا الرابط لتسجيل الدخول بالعنوان %NEW_EMAIL% من الآن فصاعدًا. عنوان الحساب الذي طلب ذلك هو الآن %ACCOUNT%، ويمكن تسجيل الدخول إليه بما يلي: %SIGN_IN_METHODS%.",
                button: "تأكيد العنوان الجديد",
                closing:
                    "إذا لم يكن هذا حسابك، فافتح الرابط واختر «لم أكن أنا».")
        case .emailChanged:
            EmailText(
                subject: "تم تغيير بريد تسجيل الدخول في %APP_NAME%",
                lead: "تم تغيير العنوان الذي تسجّل به الدخول إلى %NEW_EMAIL%.",
                securityAdvice: "إذا لم تكن أنت من غيّره، فافتح هذا الرابط للتراجع عن التغيير.",
                button: "التراجع عن التغيير",
                closing: "إذا لم تكن أنت من غيّره، فتواصل مع فريق %APP_NAME% فورًا.")
        case .emailRemoved:
            EmailText(
                subject: "تمت إزالة بريد تسجيل الدخول في %APP_NAME%",
                lead: "تمت إزالة العنوان %EMAIL% من حسابك. لم يعد بإمكانك تسجيل الدخول به.",
                securityAdvice: "إذا لم تكن أنت من أزاله، فافتح هذا الرابط للتراجع عن التغيير.",
                button: "التراجع عن التغيير",
                closing: "إذا لم تكن أنت من أزاله، فتواصل مع فريق %APP_NAME% فورًا.")
        case .secondFactorAdded:
            EmailText(
                subject: "تمت إضافة التحقق بخطوتين إلى حسابك في %APP_NAME%",
                lead: "أصبح حسابك %EMAIL% يطلب عامل تحقق ثانيًا: %SECOND_FACTOR%.",
                securityAdvice: "إذا لم تكن أنت من أضافه، فافتح هذا الرابط لإزالته.",
                button: "إزالة العامل الثاني",
                closing: "إذا لم تكن أنت من أضافه، فأعد تعيين كلمة المرور فورًا.")
        case .secondFactorRemoved:
            EmailText(
                subject: "تمت إزالة عامل تحقق ثانٍ من حسابك في %APP_NAME%",
                lead: "لم يعد حسابك %EMAIL% يطلب عامل التحقق هذا: %SECOND_FACTOR%.",
                securityAdvice: "إذا لم تكن أنت من أزاله، فافتح هذا الرابط لتأمين حسابك.",
                button: "تأمين الحساب",
                closing: "إذا لم تكن أنت من أزاله، فأعد تعيين كلمة المرور فورًا.")
        case .passwordChanged:
            EmailText(
                subject: "تم تغيير كلمة المرور في %APP_NAME%",
                lead: "تم تغيير كلمة مرور حسابك %EMAIL%.",
                securityAdvice: "إذا لم تكن أنت من غيّرها، فافتح هذا الرابط لتعيين كلمة مرور جديدة.",
                button: "إعادة تعيين كلمة المرور",
                closing: "إذا لم تكن أنت من غيّرها، فأعد تعيين كلمة المرور فورًا.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "تم استخدام رمز استرداد لحسابك في %APP_NAME%",
                lead:
                    "تم تسجيل الدخول إلى حسابك %EMAIL% برمز استرداد بدلاً من عامل التحقق الثاني. لم يعد هذا الرمز صالحًا.",
                securityAdvice: "إذا لم تكن أنت، فافتح هذا الرابط لتأمين حسابك.",
                button: "تأمين الحساب",
                closing: "إذا لم تكن أنت، فأعد تعيين كلمة المرور فورًا.")
        case .passkeyAdded:
            EmailText(
                subject: "تمت إضافة مفتاح مرور إلى حسابك في %APP_NAME%",
                lead:
                    "تمت إضافة مفتاح مرور إلى حسابك %EMAIL%. يمكنك تسجيل الدخول به من دون كلمة مرور. اسم مفتاح المرور: %PASSKEY%",
                securityAdvice: "إذا لم تكن أنت من أضافه، فافتح هذا الرابط لإزالته.",
                button: "إزالة مفتاح المرور",
                closing: "إذا لم تكن أنت من أضافه، فتواصل مع فريق %APP_NAME% فورًا.")
        case .passkeyRemoved:
            EmailText(
                subject: "تمت إزالة مفتاح مرور من حسابك في %APP_NAME%",
                lead:
                    "تمت إزالة مفتاح مرور من حسابك %EMAIL%. لم يعد بإمكانك تسجيل الدخول به. اسم مفتاح المرور: %PASSKEY%",
                securityAdvice: "إذا لم تكن أنت من أزاله، فافتح هذا الرابط لتأمين حسابك.",
                button: "تأمين الحساب",
                closing: "إذا لم تكن أنت من أزاله، فتواصل مع فريق %APP_NAME% فورًا.")
        case .providerLinked:
            EmailText(
                subject: "تمت إضافة موفّر هوية إلى حسابك في %APP_NAME%",
                lead:
                    "تم ربط موفّر هوية بحسابك %EMAIL%. يمكنك تسجيل الدخول بحسابك لدى هذا الموفّر. الموفّر: %PROVIDER%",
                securityAdvice: "إذا لم تكن أنت من أضافه، فافتح هذا الرابط لتأمين حسابك.",
                button: "تأمين الحساب",
                closing: "إذا لم تكن أنت من أضافه، فتواصل مع فريق %APP_NAME% فورًا.")
        case .providerRefused:
            EmailText(
                subject: "رُفض تسجيل دخول إلى حسابك في %APP_NAME%",
                lead:
                    "سجّل شخص الدخول لدى موفّر هوية بعنوانك %EMAIL%، لكنه ليس الشخص المرتبط بحسابك هناك. لم يحصل على حق الوصول إلى حسابك. الموفّر: %PROVIDER%",
                securityAdvice: "إذا كنت أنت، فافتح هذا الرابط وسجّل الدخول بطريقة أخرى واربط الموفّر من جديد.",
                button: "فتح التطبيق",
                closing:
                    "إذا كنت أنت، مثلًا بحساب جديد لدى الموفّر، فسجّل الدخول بطريقة أخرى واربط الموفّر من جديد. وإلا فقد يكون عنوانك قد أصبح لشخص آخر."
            )
        case .newSignIn:
            EmailText(
                subject: "تسجيل دخول جديد إلى حسابك في %APP_NAME%",
                lead:
                    "سُجِّل الدخول إلى حسابك %EMAIL% بجهاز جديد ومن شبكة جديدة. الوقت: %TIME%. الجهاز: %DEVICE%. الشبكة: %NETWORK%. إذا كنت أنت من فعل ذلك، فلا حاجة إلى أي إجراء.",
                securityAdvice:
                    "إذا لم تكن أنت من فعل ذلك، فافتح هذا الرابط لتعيين كلمة مرور جديدة. وعندئذٍ تنتهي جميع جلسات الحساب.",
                button: "إعادة تعيين كلمة المرور",
                closing:
                    "إذا لم تكن أنت من فعل ذلك، فأنهِ الجلسة في حسابك وتواصل مع فريق %APP_NAME% فورًا.")
        case .deletionScheduled:
            EmailText(
                subject: "سيُحذف حسابك في %APP_NAME%",
                lead:
                    "طُلب حذف الحساب %EMAIL% من صفحة الحساب، وانتهت جميع جلساته. سيُحذف نهائيًا في هذا الوقت: %TIME%. وحتى ذلك الحين يمكنك استعادته بتسجيل الدخول.",
                securityAdvice:
                    "إذا أردت الاحتفاظ بالحساب، أو لم تكن أنت من فعل ذلك، فافتح هذا الرابط وسجّل الدخول.",
                button: "استعادة الحساب",
                closing: "إذا لم تكن أنت من فعل ذلك، فتواصل مع فريق %APP_NAME% فورًا.")
        }
    }
}
