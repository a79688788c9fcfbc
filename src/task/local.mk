# local.mk - src/task: tasks, their questions, answers, and texts that models continue.
libinternal_la_SOURCES += %D%/answers.c %D%/answers.h %D%/continuations.c %D%/continuations.h %D%/growing_text.c \
	%D%/growing_text.h %D%/passkey.c %D%/passkey.h %D%/question.c %D%/task.c %D%/task.h %D%/task_ask.c \
	%D%/task_ask.h %D%/task_judge.c %D%/task_judge.h %D%/task_steps.c %D%/task_steps.h \
	%D%/task_template.c %D%/task_template.h
