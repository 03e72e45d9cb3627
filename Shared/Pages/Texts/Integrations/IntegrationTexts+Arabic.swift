extension PageTexts.Integrations {
    static let arabic = PageTexts.Integrations(
        title: "عمليات التكامل",
        body: "ما تستخدمه البرامج الأخرى: خطافات الويب والتطبيقات ومفاتيح الخوادم ومفاتيح الإشعارات.",
        shownOnce: "انسخ هذا الآن: لن يظهر مرة أخرى.",
        back: "العودة إلى عمليات التكامل",
        webhooks: "خطافات الويب",
        webhooksBody: "طلبات موقعة تخبر خادمك بما يحدث للحسابات.",
        addWebhook: "إضافة خطاف ويب",
        webhookURL: "عنوان URL لخادمك",
        eventTypes: "أنواع الأحداث",
        eventTypesHint: "واحد في كل سطر، مثل account.created. فارغ: الكل.",
        everyEvent: "جميع الأحداث",
        working: "يعمل",
        failing: "لا يستجيب كما ينبغي",
        gone: "أجاب بأنه لم يعد موجودا",
        state: "الحالة",
        waiting: "أحداث منتظرة",
        dropped: "أحداث حُذفت لكثرتها",
        deliveries: "أحدث الأحداث",
        noDeliveries: "لا توجد أحداث بعد. أرسل اختبارا لترى هل يستجيب خادمك.",
        pending: "منتظر",
        delivered: "تم التسليم",
        failed: "فشل",
        attempts: "المحاولات",
        problem: "المشكلة",
        sendTest: "إرسال اختبار",
        replay: "إعادة الإرسال",
        turnOff: "إيقاف",
        turnOn: "تشغيل",
        rotateSecret: .init(
            title: "سر جديد",
            body:
                "يحتاج خادمك إلى السر الجديد لقبول الأحداث. يبقى السر السابق يوقع معه يوما واحدا."
        ),
        removeWebhook: .init(
            title: "إزالة خطاف الويب هذا",
            body:
                "تُحذف أحداثه المنتظرة ولا يتلقى خادمك المزيد. لا يمكن التراجع."
        ),
        applications: "التطبيقات",
        applicationsBody: "تحصل على مستخدميها من صفحات تسجيل الدخول.",
        addApplication: "إضافة تطبيق",
        applicationName: "الاسم الذي يراه المستخدمون",
        kind: "أين يعمل",
        webKind: "صفحة ويب",
        toolKind: "سطر الأوامر أو سطح المكتب",
        redirects: "العناوين التي يمكن للمستخدمين العودة إليها",
        redirectsHint: "واحد في كل سطر.",
        clientID: "معرف العميل",
        removeApplication: .init(
            title: "إزالة هذا التطبيق",
            body:
                "لا يمكنه تسجيل دخول أي أحد من الآن. لا يمكن التراجع."
        ),
        clientConfiguration: "مفتاح API والشيفرة للتطبيقات",
        clientConfigurationBody: "هذا ليس سرا: كل نسخة من التطبيق تحتويه.",
        apiKey: "مفتاح API",
        show: "عرض",
        serviceAccounts: "حسابات الخدمة",
        serviceAccountsBody: "بهذا المفتاح يدير الخادم هذا المشروع.",
        addServiceAccount: "إنشاء مفتاح",
        serviceAccountName: "اسم الحساب",
        serviceAccountNameHint: "حروف صغيرة وأرقام وشرطات. يحصل الحساب الموجود على مفتاح إضافي.",
        keyFile: "ملف المفتاح",
        removeServiceAccount: .init(
            title: "إلغاء هذا المفتاح",
            body:
                "لا يستطيع من يملكه فعل أي شيء به، وتنتهي رموز الوصول فورا. لا يمكن التراجع."
        ),
        pushKeys: "مفاتيح الإشعارات لأجهزة Apple",
        pushKeysBody: "التطبيقات التي ليس لها مفتاح تستخدم مفتاح التثبيت.",
        addPushKey: "إضافة مفتاح إشعارات",
        bundleID: "معرف الحزمة",
        keyID: "معرف المفتاح",
        teamID: "معرف الفريق",
        environment: "البيئة",
        everyEnvironment: "الاختبار والإنتاج",
        privateKey: "المفتاح الخاص",
        privateKeyHint: "محتوى الملف AuthKey_….p8 من Apple. يُختم ولا يظهر مرة أخرى.",
        removePushKey: .init(
            title: "إزالة هذا المفتاح",
            body:
                "لن يرسل إشعارات بعد الآن. يستخدم التطبيق مفتاحا آخر أو صفحة التحقق. لا يمكن التراجع."
        ),
        functions: "الدوال الحاجبة",
        functionsBody: "تقرر بشأن التسجيل أو تسجيل الدخول قبل حدوثه.",
        beforeCreate: "دالة قبل إنشاء حساب جديد",
        beforeSignIn: "دالة قبل تسجيل الدخول",
        functionHint: "عنوان https أمامه سبع ثوان للرد. فارغ: لا شيء.",
        sendIDToken: "إرسال رمز الهوية لموفر الهوية",
        sendAccessToken: "إرسال رمز الوصول لموفر الهوية",
        sendRefreshToken: "إرسال رمز التحديث لموفر الهوية",
        none: "لا شيء بعد.")
}
